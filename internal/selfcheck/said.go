// This file reads what the synthetic tracer says in its log that it did.

package selfcheck

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
)

// Said is what a program with the synthetic tracer logged when it stopped. Times are in ns.
type Said struct {
	Requests, Burnt, Slept uint64
	Idled, Alive           uint64 // CPU that it used whether requests came or not, and in how long
	Flushed, FlushBurnt    uint64 // spans, and what was burnt when they were sent
}

// line is what it writes.
var line = regexp.MustCompile(`synthetic: (\d+) requests, burnt (\d+) ns, slept (\d+) ns, idled (\d+) ns in (\d+) ns, held \d+ bytes(?:, flushed (\d+) spans, burnt (\d+) ns at that)?`)

// runFolder is the name of a run's folder of logs: block, variant, attempt.
var runFolder = regexp.MustCompile(`^(\d+)-(.+)-(\d+)$`)

// ReadSaid returns what the programs said, by variant and block. A second attempt of a run counts instead of the first.
// Runs whose logs hold no such line are left out.
func ReadSaid(logs string) (map[string]map[int]Said, error) {
	files, err := filepath.Glob(filepath.Join(logs, "*", "*.log")) // sorted: a later attempt comes later
	if err != nil {
		return nil, fmt.Errorf("looking for logs in %s: %w", logs, err)
	}
	out := map[string]map[int]Said{}
	for _, file := range files {
		parts := runFolder.FindStringSubmatch(filepath.Base(filepath.Dir(file)))
		if parts == nil {
			continue
		}
		block, err := strconv.Atoi(parts[1])
		if err != nil {
			continue // no block has such a number
		}
		said, found, err := readLog(file)
		if err != nil {
			return nil, err
		}
		if !found {
			continue
		}
		if out[parts[2]] == nil {
			out[parts[2]] = map[int]Said{}
		}
		out[parts[2]][block] = said
	}
	return out, nil
}

func readLog(file string) (said Said, found bool, err error) {
	f, err := os.Open(file)
	if err != nil {
		return Said{}, false, fmt.Errorf("reading the log of a synthetic tracer: %w", err)
	}
	defer f.Close()
	if said, found, err = saidIn(f); err != nil {
		return Said{}, false, fmt.Errorf("reading the log %s: %w", file, err)
	}
	return said, found, nil
}

// saidIn returns what the last line of its kind says.
func saidIn(log io.Reader) (said Said, found bool, err error) {
	lines := bufio.NewScanner(log)
	for lines.Scan() {
		parts := line.FindStringSubmatch(lines.Text())
		if parts == nil {
			continue
		}
		var one Said
		whole := true
		for i, to := range []*uint64{&one.Requests, &one.Burnt, &one.Slept, &one.Idled, &one.Alive, &one.Flushed, &one.FlushBurnt} {
			if text := parts[1+i]; text != "" {
				*to, err = strconv.ParseUint(text, 10, 64)
				whole = whole && err == nil
			}
		}
		if whole {
			said, found = one, true
		}
	}
	return said, found, lines.Err()
}

// each is a part of a sum in ns that falls on one of so many, in seconds; false where there is none.
func each(ns, of uint64) (float64, bool) {
	if of == 0 {
		return 0, false
	}
	return float64(ns) / float64(of) * 1e-9, true
}
