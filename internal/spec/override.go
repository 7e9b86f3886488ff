// What the command line changes in the load of an experiment.
package spec

import (
	"fmt"
	"time"
)

// Override replaces what the load of an experiment says by flags that are not
// empty. Errors name the flag.
func (l *Load) Override(rate, duration, warmup string, connections int) error {
	if connections < 0 {
		return fmt.Errorf("--connections %d: at least 1 is needed", connections)
	}
	if connections > 0 {
		l.Connections = connections
		l.Rate = 0 // a closed loop, unless --rate is given too
	}
	if rate != "" {
		perSecond, err := parseRate(rate)
		if err != nil {
			return fmt.Errorf("--rate: %w", err)
		}
		l.Rate = perSecond
	}
	for _, one := range []struct {
		flag, text string
		to         *time.Duration
	}{{"--duration", duration, &l.Duration}, {"--warmup", warmup, &l.Warmup}} {
		if one.text == "" {
			continue
		}
		d, err := time.ParseDuration(one.text)
		if err != nil || d < 0 || one.flag == "--duration" && d == 0 {
			return fmt.Errorf("%s %q: write a length of time such as 20s", one.flag, one.text)
		}
		*one.to = d
	}
	return nil
}
