//go:build !linux

package process

// Runtime is told on Linux alone.
func (p *Process) Runtime() string { return "" }
