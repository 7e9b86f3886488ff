//go:build !linux

// The engine of systems other than Linux: goroutines.

package load

func newEngine(shown *progress) (engine, error) { return newWorkers(shown), nil }
