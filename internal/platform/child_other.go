//go:build !linux

package platform

import (
	"syscall"
	"time"
)

func apart() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func processClock(int) (time.Duration, bool) { return 0, false }
