package machine

import (
	"runtime"
	"testing"
)

func TestRead(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells these facts")
	}
	f := Read()
	if f.Kernel == "" || f.CPUs < 1 || f.MemoryBytes < 64<<20 {
		t.Errorf("read %+v", f)
	}
}

func TestBusyGrowsWithWork(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells CPU times here")
	}
	before, err := ReadBusy()
	if err != nil {
		t.Fatal(err)
	}
	// Work until the kernel has seen some of it: its unit is 10 ms.
	for n := 0; ; n++ {
		for i := range 10_000_000 {
			sink += uint64(i)
		}
		after, err := ReadBusy()
		if err != nil {
			t.Fatal(err)
		}
		elapsed, work, steal := after.Minus(before)
		if steal < 0 || elapsed <= 0 {
			t.Fatalf("elapsed %v, steal %v", elapsed, steal)
		}
		if work > 0 {
			return
		}
		if n > 1000 {
			t.Fatal("no work is seen")
		}
	}
}

var sink uint64
