//go:build !linux

// This file stands in where another process cannot be read.

package sinktest

import (
	"errors"
	"time"
)

// Memory is what a process holds of the machine's memory, in bytes.
type Memory struct {
	Resident uint64
	Peak     uint64
}

// CPU needs Linux.
func CPU(int) (time.Duration, error) { return 0, errors.ErrUnsupported }

// ReadMemory needs Linux.
func ReadMemory(int) (Memory, error) { return Memory{}, errors.ErrUnsupported }
