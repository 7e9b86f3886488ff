// The files that MooBench's own statistics read: the durations of a result, unpacked, one file a run, and the settings that
// name them.

package rawdata

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/tracetax/tracetax/internal/record"
)

// run is a measured window whose durations were kept.
type run struct {
	block, variant int
	source         string // below the results folder
}

// MooBench makes a folder with the durations of a result that kept them, as statistics.r of
// MooBench (2026) reads them: raw-LOOP-DEPTH-INDEX.csv, where the loop is the block and the
// index the place of the variant; and beside them configs-DEPTH.r, which stands before the
// script. The script takes equally many rows of each file: results.count is the fewest that
// one has. Nothing is to be skipped, since the warm-up is not among them.
func MooBench(results, folder string, variants []string) error {
	records, err := record.Read(results)
	if err != nil {
		return err
	}
	byDepth, err := kept(records, variants)
	if err != nil {
		return fmt.Errorf("%s: %w", results, err)
	}
	blocks := map[int]int{}
	for depth, runs := range byDepth {
		if blocks[depth], err = blocksOf(runs, variants, depth); err != nil {
			return fmt.Errorf("%s: %w", results, err)
		}
	}
	if err := makeFolder(folder); err != nil {
		return err
	}
	for depth, runs := range byDepth {
		fewest := -1
		for _, r := range runs {
			rows, err := unpack(filepath.Join(results, filepath.FromSlash(r.source)), filepath.Join(folder, fmt.Sprintf("raw-%d-%d-%d.csv", r.block, depth, r.variant)))
			if err != nil {
				return err
			}
			if fewest < 0 || rows < fewest {
				fewest = rows
			}
		}
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("configs-%d.r", depth)), []byte(configs(variants, blocks[depth], depth, fewest)), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// kept are the runs by their depth.
func kept(records []record.Record, variants []string) (map[int][]run, error) {
	out := map[int][]run{}
	operation := ""
	for _, r := range records {
		if r.Kind != record.Measured || r.Failed() {
			continue
		}
		for _, p := range r.Phases {
			if p.Load.Driven == nil || p.Load.Driven.Samples == "" {
				continue
			}
			for name, level := range p.Parameter {
				if name != "depth" {
					return nil, fmt.Errorf("MooBench's files have no place for what was varied, %s (%s): only for the depth", name, level)
				}
			}
			if operation != "" && operation != p.Operation {
				return nil, fmt.Errorf("MooBench's files have no place for a second operation (%s, %s)", operation, p.Operation)
			}
			operation = p.Operation
			depth := p.Load.Driven.Depth
			out[depth] = append(out[depth], run{r.Block, slices.Index(variants, r.Variant), p.Load.Driven.Samples})
		}
	}
	if len(out) == 0 {
		return nil, errors.New("no durations were kept: run the experiment with --samples")
	}
	return out, nil
}

// blocksOf is the number of blocks; every variant must have a run in each.
func blocksOf(runs []run, variants []string, depth int) (int, error) {
	blocks := 0
	there := map[[2]int]bool{}
	for _, r := range runs {
		blocks = max(blocks, r.block)
		there[[2]int{r.block, r.variant}] = true
	}
	for block := 1; block <= blocks; block++ {
		for i, name := range variants {
			if !there[[2]int{block, i}] {
				return 0, fmt.Errorf("variant %s has no durations of block %d at depth %d, and MooBench's statistics need every file: the run failed, or the experiment is not finished", name, block, depth)
			}
		}
	}
	return blocks, nil
}

// makeFolder makes the folder, which must be new or empty: files of another result would be
// taken for this one's.
func makeFolder(folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("making the folder for MooBench's files: %w", err)
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return fmt.Errorf("looking into the folder for MooBench's files: %w", err)
	}
	if len(entries) > 0 {
		return fmt.Errorf("the folder for MooBench's files, %s, is not empty (it has %s): name a new one", folder, entries[0].Name())
	}
	return nil
}

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
