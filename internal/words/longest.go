// This file says in words how long the warm-up is.

package words

import (
	"fmt"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/warmup"
)

// Warmup says how long the warm-up is and where that comes from; "" where it was given:
// "4.5 s, found in a pilot: the longest, of elastic on queries".
func Warmup(pilots []warmup.Pilot) string {
	longest, ok := warmup.Longest(pilots)
	if !ok {
		return ""
	}
	length := finding.FormatValue(longest.Length.Seconds(), "s")
	switch {
	case !longest.Steady:
		return fmt.Sprintf("%s, the most that was allowed: in a pilot %s did not get steady on %s", length, longest.Variant, longest.Operation)
	case longest.Length <= warmup.Least:
		return length + ", as pilots found every variant steady by then"
	}
	return fmt.Sprintf("%s, found in a pilot: the longest, of %s on %s", length, longest.Variant, longest.Operation)
}
