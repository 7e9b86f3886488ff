//go:build !linux

package engine

func maybeServe() (int, bool) { return 0, false }
