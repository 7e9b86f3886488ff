//go:build !linux

package cgroup

import (
	"errors"
	"syscall"
)

// NewNest makes none.
func NewNest() (*Nest, error) { return nil, errors.New("that needs Linux") }

// Within starts a process.
func (n *Nest) Within(_ *Group, _ *syscall.SysProcAttr, start func() error) error { return start() }
