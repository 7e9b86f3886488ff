package run_test

import (
	"fmt"
	"net/http"
	"os"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tracetax/tracetax/internal/record"
)

// held is what the service takes in bytes when nothing has been asked of it for a while, and
// gives back with the next request.
const held = 64 << 20

func holding(mux *http.ServeMux) {
	var mu sync.Mutex
	var taken []byte
	take := func() {
		mu.Lock()
		defer mu.Unlock()
		if taken != nil {
			return
		}
		var err error
		if taken, err = unix.Mmap(-1, 0, held, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE); err != nil {
			panic(err)
		}
		for i := 0; i < len(taken); i += os.Getpagesize() {
			taken[i] = 1
		}
	}
	waiting := time.AfterFunc(time.Hour, take)
	mux.HandleFunc("GET /hold", func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if taken != nil {
			if err := unix.Munmap(taken); err != nil {
				panic(err)
			}
			taken = nil
		}
		waiting.Reset(300 * time.Millisecond)
		fmt.Fprint(w, "done")
	})
}

// The memory of a window is that of its load, whatever the program holds in the drains beside
// it; the most that it ever held is told of the run.
func TestMemoryIsOfTheLoad(t *testing.T) {
	conductor, q := request(t, record.Measured, "/hold")
	q.Plan.Delay = time.Second                          // so each drain takes longer than the program waits
	q.Phases[0].Load.Duration = 1500 * time.Millisecond // of several looks, at random moments
	r := made(t, conductor, q)
	if len(r.Memory) != len(r.Phases[0].Usage) {
		t.Fatalf("the memory of %d processes is told, want %d", len(r.Memory), len(r.Phases[0].Usage))
	}
	for i, m := range r.Memory {
		u := r.Phases[0].Usage[i]
		if m.Process != u.Process || m.Role != u.Role || m.Steady == 0 || m.Steady != u.MemoryMean || m.Peak < u.MemoryPeak {
			t.Errorf("memory of the run %+v, of its window mean %d and peak %d of %s", m, u.MemoryMean, u.MemoryPeak, u.Process)
		}
		// Its first look may come before its first request, and see what was held until then: the mean tells.
		if m.Role == "app" && (u.MemoryMean >= held/2 || m.Peak < held) {
			t.Errorf("mean %d in the window, peak %d in the run: %d were held in the drains alone", u.MemoryMean, m.Peak, held)
		}
	}
}

// What processes hold at most is told of a calibration too: it says how many variants have room at the same time.
func TestMemoryOfACalibration(t *testing.T) {
	t.Parallel()
	conductor, q := request(t, record.Calibration, "/work")
	r := made(t, conductor, q)
	if len(r.Memory) != 3 {
		t.Fatalf("the memory of %d processes is told, want the app's, the sink's and the generator's", len(r.Memory))
	}
	for _, m := range r.Memory {
		if m.Peak < 1<<20 || m.Steady != 0 {
			t.Errorf("of a run without a window: %+v", m)
		}
	}
}
