// Durations, shares, rates and sizes as people write them.

package config

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

func parseDuration(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err == nil && d >= 0 {
		return d, nil
	}
	if _, e := strconv.ParseFloat(text, 64); e == nil && d >= 0 {
		return 0, fmt.Errorf("%q has no unit; write %ss or %sms", text, text, text)
	}
	return 0, fmt.Errorf("%q is not a duration such as 500ms, 20s or 1m30s", printable(text))
}

func formatDuration(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// parseShare reads 5% or 0.05 as 0.05. It is between 0 and 1.
func parseShare(text string) (float64, error) {
	v, percent, err := parsePercent(text)
	if err != nil {
		return 0, err
	}
	if v < 0 || v > 1 {
		if !percent && v > 1 && v <= 100 {
			return 0, fmt.Errorf("%s is more than all; write %s%% or a share between 0 and 1", text, text)
		}
		return 0, fmt.Errorf("%s is not between 0%% and 100%%", text)
	}
	return v, nil
}

func parsePercent(text string) (value float64, percent bool, err error) {
	digits, percent := strings.CutSuffix(strings.TrimSpace(text), "%")
	digits = strings.TrimSpace(digits)
	if percent {
		digits += "e-2" // and not v / 100, which would make 33.3 % not quite 0.333
	}
	v, err := strconv.ParseFloat(digits, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, percent, fmt.Errorf("%q is not a share such as 5%% or 0.05", printable(text))
	}
	return v, percent, nil
}

// formatShare writes 0.05 as 5%, exactly enough to be read again.
func formatShare(v float64) string {
	text := formatNumber(v * 100)
	if again, _, err := parsePercent(text + "%"); err == nil && again == v {
		return text + "%"
	}
	if short := strconv.FormatFloat(v*100, 'g', 12, 64); !strings.Contains(short, "e") {
		if again, _, err := parsePercent(short + "%"); err == nil && again == v {
			return short + "%"
		}
	}
	return formatNumber(v)
}

func formatNumber(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// maxRate is in operations/s; no generator on one machine comes near it.
const maxRate = 10_000_000

// parseRate reads 400/s, 24000/min or 400 as operations per second.
func parseRate(text string) (float64, error) {
	number, unit, _ := strings.Cut(strings.TrimSpace(text), "/")
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil || math.IsNaN(v) {
		return 0, fmt.Errorf("%q is not a rate such as 400/s or 24000/min", printable(text))
	}
	switch strings.TrimSpace(unit) {
	case "", "s", "sec", "second":
	case "m", "min", "minute":
		v /= 60
	case "h", "hour":
		v /= 3600
	default:
		return 0, fmt.Errorf("%q is not a rate: the unit is /s, /min or /h", printable(text))
	}
	if v <= 0 || v > maxRate {
		return 0, fmt.Errorf("the rate %s is out of range: more than 0, at most %d/s", printable(text), maxRate)
	}
	return v, nil
}

func formatRate(perSecond float64) string { return formatNumber(perSecond) + "/s" }

var sizeUnits = []struct {
	name  string
	bytes float64
}{
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40},
	{"kB", 1e3}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12},
	{"K", 1 << 10}, {"M", 1 << 20}, {"G", 1 << 30}, {"B", 1},
}

// parseSize reads 512MiB, 512M (the same), 500MB or a number of bytes.
func parseSize(text string) (int64, error) {
	number, unit := strings.TrimSpace(text), 1.0
	for _, u := range sizeUnits {
		if n, ok := strings.CutSuffix(number, u.name); ok {
			number, unit = strings.TrimSpace(n), u.bytes
			break
		}
	}
	v, err := strconv.ParseFloat(number, 64)
	if err != nil || math.IsNaN(v) || v < 0 || v*unit > 1<<50 {
		return 0, fmt.Errorf("%q is not a size such as 512MiB or 1GiB", printable(text))
	}
	return int64(v * unit), nil
}

func formatSize(bytes int64) string {
	for _, u := range []struct {
		name  string
		bytes int64
	}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}} {
		if bytes >= u.bytes && bytes%u.bytes == 0 {
			return strconv.FormatInt(bytes/u.bytes, 10) + u.name
		}
	}
	return strconv.FormatInt(bytes, 10)
}
