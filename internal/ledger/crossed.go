// Losses that may belong to one operation or to another: a span that came late, or that a tracer reports as lost, names none.

package ledger

import "math"

// shared is the operation of a line for spans that a run lost for sure, of an uncertain operation. It is on the page of All
// alone.
const shared = ""

// crossing takes from what lines lost for sure what others may have lost in their place, and moves it to a line of no operation.
// A span that came late may be that of any line before, and a line that seems whole has lost as many spans as it got of others.
func crossing(lines []line, run Run, t Tracing) line {
	all := line{operation: shared, known: true, exact: true, reports: lines[0].reports, gaps: lines[0].gaps}
	if t.none() || t.random() {
		return all
	}
	inTime := make([]int, 0, len(lines)) // the start is the last line, and was first
	for i := range lines {
		if l := lines[(i+len(lines)-1)%len(lines)]; l.known {
			inTime = append(inTime, (i+len(lines)-1)%len(lines))
		}
	}
	least, most := make([]float64, len(lines)), make([]float64, len(lines))
	for at, i := range inTime {
		l := &lines[i]
		most[i] = math.Max(0, l.spans[cameLate])
		out := 0.0
		for before, j := range inTime {
			other := &lines[j]
			late := math.Max(0, other.spans[cameLate])
			switch {
			case i == j:
				continue
			case before < at: // it may have held back spans that came in the time of this one
				most[i] += math.Min(run.holds(j, lines, t), other.out()+late)
				least[i] += late
			default:
				least[i] += math.Max(late, math.Min(run.holds(i, lines, t), other.spans[Delivered]))
			}
			out += other.out()
		}
		most[i] = math.Min(most[i], math.Min(out, math.Max(0, l.spans[Delivered])))
		guessed, elsewhere := 0.0, 0.0
		for j := range lines {
			if guessed += lines[j].guessed; j != i {
				elsewhere += lines[j].guessed + math.Max(0, lines[j].missing.high)
			}
		}
		least[i] += math.Max(0, l.guessed-math.Max(0, guessed-elsewhere))
	}
	total := run.lostAtLeast(lines, inTime, t)
	for i := range lines {
		total -= lines[i].placed()
	}
	total = math.Max(0, total)
	for _, i := range inTime {
		lines[i].mayLose(most[i], &all)
		lines[i].give(least[i], &all)
		total -= math.Max(0, lines[i].missing.low)
	}
	all.missing.low = total // below 0: of what is reported, less is of the others
	return all
}

// lostAtLeast returns the number of spans that the lines of a run lost together, wherever late ones belong.
func (r Run) lostAtLeast(lines []line, inTime []int, t Tracing) (sum float64) {
	atStop, later := 0.0, 0.0 // spans that may be of any line, and of those that hold some back until a later one
	for _, i := range inTime {
		atStop += lines[i].atStop
	}
	for at := len(inTime) - 1; at >= 0; at-- {
		i := inTime[at]
		l := &lines[i]
		misses := l.misses()
		if misses <= 0 {
			later -= misses
			continue
		}
		for _, pool := range []struct {
			spans *float64
			most  float64
		}{{&later, r.holds(i, lines, t)}, {&atStop, math.Inf(1)}} {
			by := math.Min(misses, math.Min(*pool.spans, pool.most))
			misses, *pool.spans = misses-by, *pool.spans-by
		}
		sum += misses
	}
	return sum
}

// holds returns the number of spans that a line may have held back until a later one was made.
func (r Run) holds(i int, lines []line, t Tracing) float64 {
	switch {
	case t.Buffers > 0:
		return float64(t.Buffers)
	case t.Late || i < len(r.Phases) && r.Phases[i].Unquiet:
		return math.Inf(1)
	case i == len(r.Phases): // the first export of a process takes long
		return math.Max(0, lines[i].misses())
	}
	return 0
}

// misses returns the least number of a line's spans that did not come in its time; below 0: more came.
func (l *line) misses() float64 { return l.missing.low + l.placed() + l.moved }

// out returns the most of a line's spans that did not come. Those of readiness requests that failed are none: a program that is
// not ready does not hold back spans of them, and most were answered by a proxy before it.
func (l *line) out() float64 { return l.placed() + math.Max(0, l.missing.high-l.ofUnasked) }

// mayLose takes it that so many more of a line's spans are lost, since those that came in their place are of others.
func (l *line) mayLose(spans float64, all *line) {
	if spans <= 0 {
		return
	}
	l.missing.high += spans
	all.missing.high -= spans
	l.crossed, l.others = true, l.others+spans
}

// give moves so many of the spans that are lost for sure to the line of no operation.
func (l *line) give(spans float64, all *line) {
	move := func(by float64) float64 {
		by = math.Min(spans, by)
		if by <= 0 {
			return 0
		}
		spans -= by
		l.crossed = true
		return by
	}
	by := move(l.missing.low)
	l.missing.low -= by
	for f := range Fates {
		if !f.reported() {
			continue
		}
		if by := move(l.spans[f]); by > 0 {
			l.spans[f] -= by
			l.missing.high += by
			all.spans[f] += by
			all.missing.high -= by
		}
	}
}
