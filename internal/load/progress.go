// How far a run of the generator is, for whoever asks while it runs.

package load

import "sync/atomic"

// Progress is how far the task under way, or the last one, has come.
type Progress struct {
	Intended, Completed, Failed, TimedOut uint64
}

// progress holds each thread's counts where others can see them.
type progress struct {
	threads atomic.Pointer[[]*seen]
}

func (p *progress) store(thread int, t *tally) {
	s := (*p.threads.Load())[thread]
	s.intended.Store(t.intended)
	s.completed.Store(t.completed)
	s.failed.Store(t.failed)
	s.timedOut.Store(t.timedOut)
}

// grow makes room for n threads and sets all counts to zero.
func (p *progress) grow(n int) {
	threads := make([]*seen, n)
	for i := range threads {
		threads[i] = &seen{}
	}
	p.threads.Store(&threads)
}

func (p *progress) sum() (sum Progress) {
	for _, s := range *p.threads.Load() {
		sum.Intended += s.intended.Load()
		sum.Completed += s.completed.Load()
		sum.Failed += s.failed.Load()
		sum.TimedOut += s.timedOut.Load()
	}
	return sum
}
