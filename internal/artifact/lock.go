//go:build unix

// A lock between processes that ends with the processes that hold it.

package artifact

import (
	"context"
	"errors"
	"os"
	"syscall"
)

// lock waits for the lock on the file name until ctx ends. Closing the file ends it,
// once everybody who has it open has done so. The file stays: to remove it would
// let two processes hold locks on two files of the same name.
func lock(ctx context.Context, name string) (*os.File, error) {
	file, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	locked := make(chan error, 1)
	go func() { locked <- flock(file, syscall.LOCK_EX) }()
	select {
	case err := <-locked:
		if err != nil {
			return nil, errors.Join(err, file.Close())
		}
		return file, nil
	case <-ctx.Done():
		go func() { // a waiting flock cannot be called off
			<-locked
			_ = file.Close()
		}()
		return nil, context.Cause(ctx)
	}
}

// tryFlock takes the lock on the file if it is free.
func tryFlock(file *os.File) (bool, error) {
	err := flock(file, syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}

func flock(file *os.File, how int) error {
	for {
		err := syscall.Flock(int(file.Fd()), how)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}
