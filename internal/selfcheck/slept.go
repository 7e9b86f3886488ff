// This file reads what the synthetic tracer says of itself in its log.

package selfcheck

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"time"
)

// said is the line that the synthetic tracer writes when it stops.
var said = regexp.MustCompile(`synthetic: (\d+) requests, burnt \d+ ns, slept (\d+) ns`)

// runFolder is the name of a run's folder of logs: block, variant, attempt.
var runFolder = regexp.MustCompile(`^(\d+)-(.+)-(\d+)$`)

// ReadSlept returns the mean length of a sleep in seconds, by block, from the logs
// of the variant's runs. A second attempt of a run counts instead of the first.
// Runs whose log holds no such line are left out.
func ReadSlept(logs, variant string) (map[int]float64, error) {
	files, err := filepath.Glob(filepath.Join(logs, "*", "*.log")) // sorted: a later attempt comes later
	if err != nil {
		return nil, fmt.Errorf("looking for logs in %s: %w", logs, err)
	}
	out := map[int]float64{}
	for _, file := range files {
		parts := runFolder.FindStringSubmatch(filepath.Base(filepath.Dir(file)))
		if parts == nil || parts[2] != variant {
			continue
		}
		block, err := strconv.Atoi(parts[1])
		if err != nil {
			continue // no block has such a number
		}
		mean, found, err := meanSleep(file)
		if err != nil {
			return nil, err
		}
		if found {
			out[block] = mean
		}
	}
	return out, nil
}

func meanSleep(file string) (seconds float64, found bool, err error) {
	f, err := os.Open(file)
	if err != nil {
		return 0, false, fmt.Errorf("reading the log of a synthetic tracer: %w", err)
	}
	defer f.Close()
	if seconds, found, err = sleepIn(f); err != nil {
		return 0, false, fmt.Errorf("reading the log %s: %w", file, err)
	}
	return seconds, found, nil
}

// sleepIn returns the mean sleep that the last line of its kind tells of.
func sleepIn(log io.Reader) (seconds float64, found bool, err error) {
	lines := bufio.NewScanner(log)
	for lines.Scan() {
		parts := said.FindStringSubmatch(lines.Text())
		if parts == nil {
			continue
		}
		requests, err1 := strconv.ParseUint(parts[1], 10, 64)
		slept, err2 := strconv.ParseUint(parts[2], 10, 64)
		if err1 == nil && err2 == nil && requests > 0 {
			seconds, found = float64(slept)/float64(requests)*time.Nanosecond.Seconds(), true
		}
	}
	return seconds, found, lines.Err()
}
