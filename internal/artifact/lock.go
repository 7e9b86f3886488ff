//go:build unix

// A lock between processes that ends with the process that holds it.
package artifact

import (
	"context"
	"errors"
	"os"
	"syscall"
)

// lock waits for the lock on the file name until ctx ends. The file stays: to
// remove it would let two processes hold locks on two files of the same name.
func lock(ctx context.Context, name string) (unlock func(), err error) {
	file, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	locked := make(chan error, 1)
	go func() { locked <- flock(file) }()
	select {
	case err := <-locked:
		if err != nil {
			return nil, errors.Join(err, file.Close())
		}
		return func() { _ = file.Close() }, nil // closing ends the lock; nothing was written
	case <-ctx.Done():
		go func() { // a waiting flock cannot be called off
			<-locked
			_ = file.Close()
		}()
		return nil, context.Cause(ctx)
	}
}

func flock(file *os.File) error {
	for {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}
