package words

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
)

// Answers are "200: 1,845 · 500: 205 (10.0 %)".
func Answers(a finding.Answers) string {
	all := uint64(0)
	for _, n := range a.Statuses {
		all += n
	}
	var parts []string
	for i, status := range slices.Sorted(maps.Keys(a.Statuses)) {
		text := strconv.Itoa(status) + ": " + number(float64(a.Statuses[status]))
		if i > 0 {
			text += " (" + finding.FormatValue(float64(a.Statuses[status])/float64(all), "1") + ")"
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, " · ")
}
