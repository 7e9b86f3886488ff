//go:build synthetic && spans && !linux

package main

import "time"

// burnThrough is burn.
func burnThrough(d time.Duration) time.Duration { return burn(d) }
