//go:build !linux

package process

// Ports where the kernel is not asked.

// ephemeral is the range that IANA sets apart for outgoing connections.
func ephemeral() (low, high int) { return 49152, 65535 }

func holder(int) string { return "" }
