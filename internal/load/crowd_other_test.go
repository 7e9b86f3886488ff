//go:build !linux

package load

func maybeServe() (int, bool) { return 0, false }
