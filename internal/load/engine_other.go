//go:build !linux

// The engine of systems other than Linux: net/http.

package load

func newEngine(shown *progress) (engine, error) { return newClient(shown), nil }
