// This file writes the files.

package moobench

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// lines counts the lines of what is written to it.
type lines int

// Write never fails.
func (l *lines) Write(p []byte) (int, error) {
	*l += lines(bytes.Count(p, []byte{'\n'}))
	return len(p), nil
}

// unpack writes a packed file out, and returns how many rows it has.
func unpack(from, to string) (rows int, err error) {
	source, err := os.Open(from)
	if err != nil {
		return 0, fmt.Errorf("opening durations: %w", err)
	}
	defer source.Close()
	plain, err := gzip.NewReader(source)
	if err != nil {
		return 0, fmt.Errorf("unpacking %s: %w", from, err)
	}
	target, err := os.Create(to)
	if err != nil {
		return 0, fmt.Errorf("writing MooBench's files: %w", err)
	}
	var n lines
	_, err = io.Copy(io.MultiWriter(target, &n), plain)
	if err = errors.Join(err, target.Close()); err != nil {
		return 0, fmt.Errorf("unpacking %s to %s: %w", from, to, err)
	}
	return int(n), nil
}

// configs are the settings that stand before MooBench's script.
func configs(variants []string, blocks, depth, rows int) string {
	var labels, indices []string
	for i, name := range variants {
		labels = append(labels, strconv.Quote(name))
		indices = append(indices, strconv.Itoa(i))
	}
	var b strings.Builder
	b.WriteString("# Put this before MooBench's statistics.r, and run both in this folder:\n")
	fmt.Fprintf(&b, "#   cat configs-%d.r statistics.r | R --vanilla --silent\n", depth)
	b.WriteString("results_fn=\"raw\"\n")
	fmt.Fprintf(&b, "out_yaml_fn=\"results-%d.yaml\"\n", depth)
	b.WriteString("configs.framework_name=\"tracetax\"\n")
	fmt.Fprintf(&b, "configs.loop=%d\n", blocks)
	fmt.Fprintf(&b, "configs.recursion=%d\n", depth)
	fmt.Fprintf(&b, "configs.labels=c(%s)\n", strings.Join(labels, ", "))
	fmt.Fprintf(&b, "configs.indices=c(%s)\n", strings.Join(indices, ", "))
	fmt.Fprintf(&b, "results.count=%d\n", rows)
	b.WriteString("results.skip=0\n")
	return b.String()
}
