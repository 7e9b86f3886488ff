// This file says in words what pilot runs found.

package words

import (
	"fmt"
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
)

// Pilots says where a relative rate came from: "412/s is 50 % of the slowest; a pilot found none 1,650/s, otel 824/s".
// rate is 0 where there is none.
func Pilots(found []string, rate, share float64) string {
	text := "a pilot found " + strings.Join(found, ", ")
	if rate > 0 {
		text = fmt.Sprintf("%s is %s of the slowest; %s", finding.FormatValue(rate, "1/s"), shareText(share), text)
	}
	return text
}

// Pilot says what a pilot of a variant found: "otel 824/s".
func Pilot(variant string, c *record.Capacity) string {
	return variant + " " + pilotedText(c)
}

func pilotedText(c *record.Capacity) string {
	switch {
	case c.Outcome == record.Found:
		return finding.FormatValue(c.Rate, "1/s")
	case c.Outcome == record.Saturated:
		return fmt.Sprintf("%s (%s)", finding.FormatValue(c.Passing, "1/s"), Outcome(c.Outcome))
	case c.Passing > 0:
		return fmt.Sprintf("at least %s (%s)", finding.FormatValue(c.Passing, "1/s"), Outcome(c.Outcome))
	}
	return "nothing (" + Outcome(c.Outcome) + ")"
}
