//go:build !linux

package output

// What a log's pipe holds, where its size is fixed and it is not told whether it is full.

import "syscall"

// enlarge does nothing: the size of a pipe can't be chosen here.
func enlarge(syscall.RawConn) (holds int) { return usualSize }

// ready is not asked here: a read gives what there is, and the next one tells whether there is more.
func ready(uintptr) int { return 0 }

func isFull(uintptr) bool { return false }
