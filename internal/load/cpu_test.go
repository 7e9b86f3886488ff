package load

import "testing"

func TestThreadsSince(t *testing.T) {
	before := Threads{1: {10, 5}, 2: {20, 0}, 3: {7, 7}}
	after := Threads{1: {110, 25}, 2: {70, 3}, 4: {2, 900}} // 3 has ended, 4 has begun
	for n, want := range map[int]CPUTime{0: {152, 0}, 1: {152, 20}, 2: {152, 23}, 9: {152, 923}} {
		if got := after.Since(before, n); got != want {
			t.Errorf("%d threads: %+v, want %+v", n, got, want)
		}
	}
}

func TestReadCPU(t *testing.T) {
	if _, err := ReadCPU(1 << 30); err == nil {
		t.Error("a process that is not there uses something")
	}
}
