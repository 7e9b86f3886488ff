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
