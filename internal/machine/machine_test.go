package machine

import (
	"testing"
)

func TestRead(t *testing.T) {
	f := Read()
	if f.Kernel == "" || f.CPUs < 1 || f.MemoryBytes < 64<<20 {
		t.Errorf("read %+v", f)
	}
}
