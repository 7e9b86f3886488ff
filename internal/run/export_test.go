package run

import "time"

// SetLastPatience sets for how long the sink may take after the end of the processes.
func SetLastPatience(d time.Duration) (restore func()) {
	before := lastPatience
	lastPatience = d
	return func() { lastPatience = before }
}
