//go:build !linux

package usage

import "time"

func wants(Target) (bool, error) { return false, nil }

func readThreads(Target) (map[thread]time.Duration, error) { return nil, nil }
