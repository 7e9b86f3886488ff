package steady

import (
	"container/heap"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tracetax/tracetax/internal/record"
)

// ends is a heap of the times at which servers come free.
type ends []float64

func (e ends) Len() int           { return len(e) }
func (e ends) Less(i, j int) bool { return e[i] < e[j] }
func (e ends) Swap(i, j int)      { e[i], e[j] = e[j], e[i] }
func (e *ends) Push(x any)        { *e = append(*e, x.(float64)) }
func (e *ends) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}

// pool is what a pool of servers makes of a schedule: each operation takes
// length() seconds of one of them, and none is begun between from and to.
type pool struct {
	servers  int
	length   func() float64
	from, to float64
	poisson  *rand.Rand
}

func (p pool) offered(t *testing.T, rate, seconds float64) Offer {
	t.Helper()
	free := make(ends, p.servers)
	h := record.NewHistogram()
	var starts, over []float64
	at := 0.0
	for i := 0; at < seconds; i++ {
		begin := math.Max(at, heap.Pop(&free).(float64))
		if begin >= p.from && begin < p.to {
			begin = p.to
		}
		end := begin + p.length()
		heap.Push(&free, end)
		starts, over = append(starts, at), append(over, end)
		if err := h.RecordValue(int64((end - at) * 1e9)); err != nil {
			t.Fatal(err)
		}
		gap := 1 / rate
		if p.poisson != nil {
			gap = p.poisson.ExpFloat64() / rate
		}
		at += gap
	}
	n := uint64(len(starts))
	latency, err := record.EncodeHistogram(h)
	if err != nil {
		t.Fatal(err)
	}
	l := &record.Load{Intended: n, Completed: n, WallSeconds: slices.Max(over), Latency: latency}
	for i := 1; i <= 10; i++ {
		look := seconds * float64(i) / 10
		var open uint64
		for j := range starts {
			if starts[j] <= look && over[j] > look {
				open++
			}
		}
		l.Backlog = append(l.Backlog, open)
	}
	return Offer{Rate: rate, Seconds: seconds, Load: l, Latency: LatenciesOf(h)}
}

func TestGrowth(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	always := func(l float64) func() float64 { return func() float64 { return l } }
	random := func(mean float64) func() float64 { return func() float64 { return mean * r.ExpFloat64() } }
	for _, c := range []struct {
		name          string
		pool          pool
		rate, seconds float64
		want          float64 // share; 1 is held
	}{
		{"four slow servers, 10 of 8", pool{servers: 4, length: always(0.5)}, 10, 5, 0.8},
		{"four slow servers, 9 of 8", pool{servers: 4, length: always(0.5)}, 9, 5, 8.0 / 9},
		{"four slow servers, 8 of 8", pool{servers: 4, length: always(0.5)}, 8, 5, 1},
		{"eight slower servers, 12 of 10.5", pool{servers: 8, length: always(0.76)}, 12, 5, 10.5 / 12},
		{"operations half as long as the window", pool{servers: 100, length: always(2)}, 20, 5, 1},
		{"fast, 5 % too much", pool{servers: 1, length: always(0.001)}, 1050, 5, 1 / 1.05},
		{"fast, 10 % too little", pool{servers: 1, length: always(0.001)}, 900, 5, 1},
		{"random work, 20 % too much", pool{servers: 1, length: random(0.001)}, 1200, 5, 1 / 1.2},
		{"random work and arrivals, 20 % too much", pool{servers: 2, length: random(0.002), poisson: r}, 1200, 5, 1 / 1.2},
		{"a pause of a second", pool{servers: 1, length: always(0.001), from: 2, to: 3}, 500, 10, 1},
		{"a pause at the end", pool{servers: 1, length: always(0.001), from: 9.5, to: 10}, 100, 10, 1},
	} {
		o := c.pool.offered(t, c.rate, c.seconds)
		if share := o.Share(); math.Abs(share-c.want) > 0.05 || (c.want == 1) != o.Held() {
			t.Errorf("%s: a share of %.3f, want %.3f; backlog %v", c.name, share, c.want, o.Load.Backlog)
		}
	}
}

// A service that keeps up is not said to be overloaded by chance: random work at
// random times, at 80 % of what it can do.
func TestNoGrowthByChance(t *testing.T) {
	const experiments = 500
	wrong := 0
	for seed := range uint64(experiments) {
		r := rand.New(rand.NewPCG(seed, 3))
		p := pool{servers: 1, length: func() float64 { return 0.01 * r.ExpFloat64() }, poisson: r}
		if o := p.offered(t, 80, 10); !o.Held() {
			wrong++
		}
	}
	t.Logf("%d of %d that keep up are said not to", wrong, experiments)
	if wrong > experiments/50 {
		t.Errorf("%d of %d that keep up are said not to", wrong, experiments)
	}
}

// inWindows makes what a pool makes of a schedule in windows, each of which begins when all before was answered.
func (p pool) inWindows(t *testing.T, rate, seconds float64, windows int) Offer {
	t.Helper()
	var sum record.Load
	h := record.NewHistogram()
	for range windows {
		one := p.offered(t, rate, seconds)
		latency, err := one.Load.Latency.Decode()
		if err != nil {
			t.Fatal(err)
		}
		h.Merge(latency)
		if sum, err = sum.Plus(*one.Load); err != nil {
			t.Fatal(err)
		}
	}
	return Offer{Rate: rate, Seconds: seconds * float64(windows), Windows: windows, Load: &sum, Latency: LatenciesOf(h)}
}

// Every window has last operations, which end after it however well the service keeps up. One that does not is found
// however short the windows are.
func TestHeldInWindows(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 5))
	always := func(l float64) func() float64 { return func() float64 { return l } }
	random := func(mean float64) func() float64 { return func() float64 { return mean * r.ExpFloat64() } }
	for _, c := range []struct {
		name          string
		pool          pool
		rate, seconds float64 // of a window
		windows       int
		want          float64
	}{
		{"operations half as long as a window", pool{servers: 100, length: always(0.05)}, 200, 0.1, 50, 1},
		{"longer than a window", pool{servers: 100, length: always(0.15)}, 200, 0.1, 50, 1},
		{"of uneven length", pool{servers: 100, length: random(0.02)}, 200, 0.1, 50, 1},
		{"at 80 % of what it can do", pool{servers: 1, length: random(0.01), poisson: r}, 80, 0.25, 20, 1},
		{"at 90 % of what it can do", pool{servers: 1, length: random(0.001), poisson: r}, 900, 0.1, 50, 1},
		{"the same, longer", pool{servers: 1, length: random(0.001), poisson: r}, 900, 1, 6, 1},
		{"a quarter too much", pool{servers: 1, length: always(0.001)}, 1250, 0.1, 50, 0.8},
		{"twice too much, twenty operations", pool{servers: 1, length: always(0.01)}, 200, 0.1, 50, 0.5},
		{"10 % too much, long windows", pool{servers: 1, length: always(0.001)}, 1100, 1, 6, 1 / 1.1},
	} {
		o := c.pool.inWindows(t, c.rate, c.seconds, c.windows)
		if share := o.Share(); math.Abs(share-c.want) > 0.05 || (c.want == 1) != o.Held() {
			t.Errorf("%s: a share of %.3f, want %.3f; %.3f s late, backlog %v", c.name, share, c.want, o.Lateness(), o.Load.Backlog)
		}
	}
}

// Where nothing was answered within the schedule, a rate of exactly 0 was reached, and not what rounding leaves of one.
func TestNothingWithinTheSchedule(t *testing.T) {
	for windows := 1; windows < 7; windows++ {
		for tenth := uint64(2); tenth < 40; tenth++ {
			each := uint64(windows) * 10
			o := Offer{Rate: float64(each*10) / (float64(tenth) / 10), Windows: windows, Load: &record.Load{WallSeconds: 99, Intended: each * 10, Completed: each * 10}}
			for i := range uint64(10) {
				o.Load.Backlog = append(o.Load.Backlog, each*(i+1))
			}
			if share := o.Share(); share != 0 {
				t.Errorf("of %v/s in %d windows a share of %g was reached", o.Rate, windows, share)
			}
		}
	}
}
