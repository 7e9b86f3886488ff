package capacity

// Probes and rates in words.

import (
	"math"
	"strconv"
	"strings"

	"github.com/tracetax/tracetax/internal/record"
)

// describe says what was the matter with a probe.
func describe(p *record.Probe) string { return perSecond(p.Rate) + ": " + p.Why }

// perSecond writes a rate with four digits that count, as a person would:
// "28,530/s", "97/s", "0.25/s".
func perSecond(rate float64) string {
	const digits = 4
	if rate <= 0 || math.IsInf(rate, 0) || math.IsNaN(rate) {
		return strconv.FormatFloat(rate, 'g', digits, 64) + "/s"
	}
	places := max(0, digits-1-int(math.Floor(math.Log10(rate))))
	unit := math.Pow(10, float64(digits-1)-math.Floor(math.Log10(rate)))
	text := strconv.FormatFloat(math.Round(rate*unit)/unit, 'f', places, 64)
	whole, fraction, _ := strings.Cut(text, ".")
	for at := len(whole) - 3; at > 0; at -= 3 {
		whole = whole[:at] + "," + whole[at:]
	}
	if fraction = strings.TrimRight(fraction, "0"); fraction != "" {
		whole += "." + fraction
	}
	return whole + "/s"
}
