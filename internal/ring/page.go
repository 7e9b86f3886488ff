// This file keeps the time written where programs read it that have no cheaper clock.

package ring

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// clockPage is the page of the file reader, mapped, and a thread that writes the time there. It takes a whole CPU.
type clockPage struct {
	memory []byte
	stop   atomic.Bool
	ended  chan error
}

// servePage writes the time while a program wants it.
func (r *Reader) servePage() error {
	wanted := false
	for _, p := range r.programs {
		wanted = wanted || p.program.Clock == Page && !p.gone
	}
	switch {
	case wanted && r.page == nil:
		memory, err := unix.Mmap(int(r.lock.Fd()), 0, pageSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
		if err != nil {
			return fmt.Errorf("mapping the file reader, for a program that reads the time there: %w", err)
		}
		r.page = &clockPage{memory: memory, ended: make(chan error, 1)}
		go r.page.keep(r.now)
	case !wanted:
		return r.stopPage()
	}
	return nil
}

// keep writes the time until stop. Somebody may cut the file off: that ends the writing alone.
func (c *clockPage) keep(now func() uint64) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		var err error
		if fault := recover(); fault != nil {
			err = fmt.Errorf("writing the time into the file reader: %v", fault)
		}
		c.ended <- err
	}()
	place := (*uint64)(unsafe.Pointer(&c.memory[atReaderTime]))
	for !c.stop.Load() {
		atomic.StoreUint64(place, now())
	}
	atomic.StoreUint64(place, 0)
}

// stopPage ends the writing, and leaves 0 there.
func (r *Reader) stopPage() error {
	if r.page == nil {
		return nil
	}
	c := r.page
	r.page = nil
	c.stop.Store(true)
	err := <-c.ended
	if unmapped := unix.Munmap(c.memory); err == nil && unmapped != nil {
		err = fmt.Errorf("unmapping the file reader: %w", unmapped)
	}
	return err
}
