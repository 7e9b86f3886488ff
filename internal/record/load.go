package record

import (
	"fmt"
	"slices"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Plus returns what was done and seen in two stretches of load, one after the
// other. It fails where a histogram cannot be read.
func (l Load) Plus(next Load) (Load, error) {
	latency, err := together([]Histogram{l.Latency, next.Latency})
	if err != nil {
		return l, fmt.Errorf("adding latencies: %w", err)
	}
	lag, err := together([]Histogram{l.Lag, next.Lag})
	if err != nil {
		return l, fmt.Errorf("adding the generator's lags: %w", err)
	}
	timings, err := timings([]Load{l, next})
	if err != nil {
		return l, err
	}
	sum := Load{
		WallSeconds:   l.WallSeconds + next.WallSeconds,
		Intended:      l.Intended + next.Intended,
		Started:       l.Started + next.Started,
		Completed:     l.Completed + next.Completed,
		Failed:        l.Failed + next.Failed,
		TimedOut:      l.TimedOut + next.TimedOut,
		Errors:        plus(l.Errors, next.Errors),
		Answers:       plus(l.Answers, next.Answers),
		Redirects:     plus(l.Redirects, next.Redirects),
		Connected:     l.Connected + next.Connected,
		Used:          max(l.Used, next.Used),
		Resent:        l.Resent + next.Resent,
		Identified:    l.Identified + next.Identified,
		Sampled:       l.Sampled + next.Sampled,
		BytesSent:     l.BytesSent + next.BytesSent,
		BytesReceived: l.BytesReceived + next.BytesReceived,
		Backlog:       l.open(next),
		BodyBytes:     l.BodyBytes + next.BodyBytes,
		PutOff:        l.PutOff + next.PutOff,
		Latency:       latency,
		Lag:           lag,
		Timings:       timings,
		Driven:        l.Driven.plus(next.Driven),
		Parts:         l.partsWith(next),
	}
	return sum, nil
}

// partsWith are the parts of two stretches of a mix; nil where one of them made operations without saying of which part.
func (l Load) partsWith(next Load) []Part {
	if l.Parts == nil && l.Started > 0 || next.Parts == nil && next.Started > 0 {
		return nil
	}
	sum := slices.Clone(l.Parts)
	for _, p := range next.Parts {
		i := slices.IndexFunc(sum, func(q Part) bool { return q.Operation == p.Operation })
		if i < 0 {
			sum = append(sum, p)
			continue
		}
		sum[i].Started += p.Started
		sum[i].Completed += p.Completed
		sum[i].Sampled += p.Sampled
	}
	return sum
}

// Counted adds up several stretches of load, one after the other, without the histograms.
func Counted(stretches ...Load) Load {
	var sum Load
	for _, l := range stretches {
		l.Latency, l.Lag, l.Timings = "", "", nil
		sum, _ = sum.Plus(l) // which fails of histograms alone
	}
	return sum
}

// Sum adds up several stretches of load. It fails if a histogram cannot be read.
func Sum(stretches ...Load) (Load, error) {
	sum := Counted(stretches...)
	var latencies, lags []Histogram
	for _, l := range stretches {
		latencies, lags = append(latencies, l.Latency), append(lags, l.Lag)
	}
	var err error
	if sum.Latency, err = together(latencies); err != nil {
		return sum, fmt.Errorf("adding latencies: %w", err)
	}
	if sum.Lag, err = together(lags); err != nil {
		return sum, fmt.Errorf("adding the generator's lags: %w", err)
	}
	sum.Timings, err = timings(stretches)
	return sum, err
}

// AtOnce adds up what several generators did at the same time, each on connections of its own. It fails if a histogram cannot be read.
func AtOnce(loads ...Load) (Load, error) {
	sum, err := Sum(loads...)
	sum.WallSeconds, sum.Used = 0, 0
	for _, l := range loads {
		sum.WallSeconds = max(sum.WallSeconds, l.WallSeconds)
		sum.Used += l.Used
	}
	return sum, err
}

// timings adds up the durations in the answers of several stretches.
func timings(stretches []Load) (map[string]Histogram, error) {
	var sum map[string]Histogram
	for _, l := range stretches {
		for name, h := range l.Timings {
			if sum == nil {
				sum = map[string]Histogram{}
			}
			all, err := together([]Histogram{sum[name], h})
			if err != nil {
				return nil, fmt.Errorf("adding the times that answers tell as %s: %w", name, err)
			}
			sum[name] = all
		}
	}
	return sum, nil
}

// open adds what was open at the same tenth of two schedules that both began with nothing open. A stretch in which
// nothing was asked for had nothing open; of one without a schedule nobody knows.
func (l Load) open(next Load) []uint64 {
	switch {
	case l.Intended == 0 && l.Backlog == nil:
		return slices.Clone(next.Backlog)
	case next.Intended == 0 && next.Backlog == nil:
		return slices.Clone(l.Backlog)
	case len(l.Backlog) != len(next.Backlog):
		return nil
	}
	sum := slices.Clone(l.Backlog)
	for i, open := range next.Backlog {
		sum[i] += open
	}
	return sum
}

// plus returns what a workload said of two stretches, one after the other. What
// is the state at a moment is the later one's.
func (d *Driven) plus(next *Driven) *Driven {
	if d == nil || next == nil {
		if d == nil {
			return next
		}
		return d
	}
	sum := *next
	sum.CallSeconds += d.CallSeconds
	sum.ThreadCPU = add(d.ThreadCPU, next.ThreadCPU)
	sum.Allocated = add(d.Allocated, next.Allocated)
	sum.AllocatedCaller = add(d.AllocatedCaller, next.AllocatedCaller)
	sum.GCCount = add(d.GCCount, next.GCCount)
	sum.GCSeconds = add(d.GCSeconds, next.GCSeconds)
	if d.HeapPeak != nil && next.HeapPeak != nil {
		peak := max(*d.HeapPeak, *next.HeapPeak)
		sum.HeapPeak = &peak
	}
	return &sum
}

// add adds two figures; nil where one of them was not told.
func add[T uint64 | float64](a, b *T) *T {
	if a == nil || b == nil {
		return nil
	}
	sum := *a + *b
	return &sum
}

// together is the histogram of the values of all.
func together(all []Histogram) (Histogram, error) {
	all = slices.DeleteFunc(all, func(h Histogram) bool { return h == "" })
	if len(all) == 0 {
		return "", nil
	}
	if len(all) == 1 {
		return all[0], nil
	}
	sum := NewHistogram()
	for _, h := range all {
		more, err := h.Decode()
		if err != nil {
			return "", err
		}
		if dropped := sum.Merge(more); dropped > 0 {
			return "", fmt.Errorf("%d values are beyond the histogram's ends", dropped)
		}
	}
	return EncodeHistogram(sum)
}

// Histogram is an HDR histogram of nanoseconds as it is kept in a record: the
// compressed V2 encoding in base64, which any HDR histogram library reads.
// The zero value is an empty one.
type Histogram string

// Limits of every histogram that tracetax keeps: 1 ns to 5 minutes, 3 digits.
const (
	lowest  = 1
	highest = int64(5 * 60 * 1e9)
	digits  = 3
)

// NewHistogram returns an empty histogram with the limits that Histogram uses.
func NewHistogram() *hdrhistogram.Histogram { return hdrhistogram.New(lowest, highest, digits) }

// EncodeHistogram returns h as it is kept in a record.
func EncodeHistogram(h *hdrhistogram.Histogram) (Histogram, error) {
	if h == nil || h.TotalCount() == 0 {
		return "", nil
	}
	b, err := h.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if err != nil {
		return "", fmt.Errorf("encoding a histogram of %d values: %w", h.TotalCount(), err)
	}
	return Histogram(b), nil
}

// Decode returns the histogram; an empty one for the zero value.
func (h Histogram) Decode() (*hdrhistogram.Histogram, error) {
	if h == "" {
		return NewHistogram(), nil
	}
	d, err := hdrhistogram.Decode([]byte(h))
	if err != nil {
		return nil, fmt.Errorf("decoding a histogram of %d characters: %w", len(h), err)
	}
	return d, nil
}
