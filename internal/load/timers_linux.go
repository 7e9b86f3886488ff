// Making the kernel wake a thread on time.

package load

import "golang.org/x/sys/unix"

// slack is the timer slack that a thread had before exactTimers, in ns.
type slack int

// exactTimers takes the slack (50 µs by default) off the timers of the calling
// thread, to which the goroutine must be locked.
func exactTimers() (slack, error) {
	before, err := unix.PrctlRetInt(unix.PR_GET_TIMERSLACK, 0, 0, 0, 0)
	if err != nil {
		return 0, wrongSetting("reading the timer slack", err)
	}
	if err := unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0); err != nil {
		return 0, wrongSetting("setting the timer slack", err)
	}
	return slack(before), nil
}

// restore gives the calling thread its former slack back. It cannot fail where
// setting it did not.
func (s slack) restore() { _ = unix.Prctl(unix.PR_SET_TIMERSLACK, uintptr(s), 0, 0, 0) }
