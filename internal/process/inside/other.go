//go:build !linux

package inside

// Look sees nothing: that is told on Linux alone.
func Look([]int, []string, string) []Program { return nil }

// Tables are of Linux alone.
type Tables struct{}

// Of sees nothing: that is told on Linux alone.
func (*Tables) Of([]int) Sockets { return Sockets{} }

// Runtime is known on Linux only.
func Runtime([]int) string { return "" }

// KindOf is known on Linux only.
func KindOf(int) Kind { return Unseen }

// Answers sees nothing: that is told on Linux alone.
func (*Tables) Answers(string, uint16, []int) Answer { return Answer{} }

// Name is known on Linux only.
func Name(int) string { return "" }
