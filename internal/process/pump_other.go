//go:build !linux

package process

import "syscall"

// enlarge does nothing: the size of a pipe can't be chosen here.
func enlarge(syscall.RawConn) {}
