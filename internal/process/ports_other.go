//go:build !linux

package process

import "io"

// Ports where the kernel is not asked.

// ephemeral is the range that IANA sets apart for outgoing connections.
func ephemeral() (low, high int) { return 49152, 65535 }

// reserve marks nothing: there is no such name here.
func reserve(int) (io.Closer, bool) { return nil, true }

func holder(int) string { return "" }
