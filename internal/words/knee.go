package words

import (
	"fmt"

	"github.com/tracetax/tracetax/internal/finding"
)

// Knee says from where on more of a parameter brings little more of a metric.
func Knee(k finding.Knee, parameter string) string {
	brings := fmt.Sprintf("doubling them brings under %.0f %% more (to %g: %s a doubling)", 100*k.Under, k.Last, finding.FormatInterval(k.Gain, "1", true))
	switch {
	case k.First:
		return fmt.Sprintf("from the first level on, %g %s, %s", k.X, parameter, brings)
	case k.After == nil:
		return fmt.Sprintf("from %g %s on, %s", k.X, parameter, brings)
	}
	return fmt.Sprintf("from between %g and %g %s on, %s", *k.After, k.X, parameter, brings)
}
