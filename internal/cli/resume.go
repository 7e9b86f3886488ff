package cli

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/record"
)

// resume opens the results folder to go on with it. It refuses another
// experiment, another machine, and other programs: their blocks could not be
// compared with those that are there.
func (b *bench) resume() (err error) {
	if b.folder, b.history, err = record.Open(b.dir); err != nil {
		return err
	}
	b.session.Keeper = b.folder
	if err := b.sameExperiment(); err != nil {
		return errors.Join(err, b.folder.Close())
	}
	if err := b.samePlace(); err != nil {
		return errors.Join(err, b.folder.Close())
	}
	return nil
}

func (b *bench) sameExperiment() error {
	text, err := b.asked.YAML()
	if err != nil {
		return err
	}
	kept, err := os.ReadFile(b.folder.Path(record.ExperimentFile))
	if err != nil {
		return fmt.Errorf("going on with %s: %w", b.dir, err)
	}
	before, err := readEnvironment(b.dir)
	if err != nil {
		return fmt.Errorf("going on with %s: %w", b.dir, err)
	}
	if err := before.stillAsks(kept, b.dir); err != nil {
		return usageError(err)
	}
	if !bytes.Equal(kept, text) {
		return usageError(fmt.Errorf("%s holds another experiment than the one given: go on with 'tracetax run --resume %s' alone, or start anew with --out", b.dir, b.dir))
	}
	return nil
}

func (b *bench) samePlace() error {
	before, err := readEnvironment(b.dir)
	if err != nil {
		return fmt.Errorf("going on with %s: %w", b.dir, err)
	}
	now := b.environment
	if err := sameLeftOut(before.LeftOut, now.LeftOut); err != nil {
		return fmt.Errorf("going on with %s: %w", b.dir, err)
	}
	var other string
	switch {
	case before.CPUModel != now.CPUModel || before.CPUs != now.CPUs || before.Kernel != now.Kernel:
		other = fmt.Sprintf("on another machine: %s, %d CPUs, kernel %s; this is %s, %d CPUs, kernel %s",
			before.CPUModel, before.CPUs, before.Kernel, now.CPUModel, now.CPUs, now.Kernel)
	case before.Tool != now.Tool:
		other = fmt.Sprintf("by tracetax %s; this is %s", before.Tool, now.Tool)
	case !maps.Equal(before.Files, now.Files):
		return fmt.Errorf("%s was begun with other request data: %s; put back what was there, or start anew with --out", b.dir, changedFiles(before.Files, now.Files))
	case !maps.Equal(before.Runtimes, now.Runtimes) || !maps.EqualFunc(before.Digests, now.Digests, maps.Equal):
		other = fmt.Sprintf("with other programs: %v %v; now %v %v", before.Runtimes, before.Digests, now.Runtimes, now.Digests)
	default:
		if err := b.sameKeptEnv(before); err != nil {
			return err
		}
		b.environment = before
		return nil
	}
	return fmt.Errorf("%s was begun %s: start anew with --out", b.dir, other)
}

// changedFiles names the files that are not what they were.
func changedFiles(before, now map[string]string) string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if now[name] != before[name] {
			out = append(out, fmt.Sprintf("%s has changed (SHA-256 %.12s… then, %.12s… now)", name, before[name], now[name]))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if _, known := before[name]; !known {
			out = append(out, "of "+name+" nothing was noted then")
		}
	}
	return strings.Join(out, ", ")
}
