// Command plots draws docs/images/*.svg from the tables of docs/studies. It runs in the folder of the repository ('make plots').
//
// It owns the pictures: which rows of which tables they show, and how bars, intervals and published figures are drawn. It must not
// know how a figure was measured: it reads tables as 'tracetax replicate' and 'tracetax report' write them, computes nothing of
// them but places, and has no figure of its own. Each mark carries the cells that it stands for.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if err := write("docs"); err != nil {
		fmt.Fprintln(os.Stderr, "plots:", err)
		os.Exit(1)
	}
}

// write writes all pictures to the folder images of docs, up to the first that cannot be drawn.
func write(docs string) error {
	for _, p := range pictures {
		svg, err := p.draw(filepath.Join(docs, "studies"))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(docs, "images", p.name+".svg"), []byte(svg), 0o644); err != nil {
			return fmt.Errorf("writing the picture %s: %w", p.name, err)
		}
	}
	return nil
}

// draw returns the picture as SVG. It fails where a table of the folder lacks a row, or has several for one bar.
func (p picture) draw(folder string) (string, error) {
	d, draw := newDrawing(p.title, p.says), p.drawBars
	if p.stacks != nil {
		draw = p.drawStacks
	}
	if err := draw(d, folder); err != nil {
		return "", fmt.Errorf("drawing %s: %w", p.name, err)
	}
	return d.document(), nil
}
