package tree

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

// Where a server is never alone with a call, nothing shows what its methods do. But if each call of a method makes the same calls, in
// whatever order, their numbers show how many: over parts of the time, or over traces, the calls made are a sum over the calls served.

const (
	leastParts  = 8    // parts of the time, or traces, that numbers are taken from
	mostParts   = 4096 // further ones are left out
	partCalls   = 32   // calls served that begin in a part of the time
	nearInteger = 0.25 // from a whole number
	mostPlans   = 1024 // states that a program may have
	sweeps      = 300
)

// quotas adds programs of the untaught methods, by the numbers of their calls. Nothing tells their order.
func (w *work) quotas(known, into *Programs) {
	all := map[int32]map[int32]int{}
	for s := range w.servers {
		if !w.servers[s].opens {
			continue
		}
		untaught := map[int32]bool{}
		for _, i := range w.servers[s].served {
			if m := w.entries[i].method; !known.known(m) {
				untaught[m] = true
			}
		}
		if len(untaught) > 0 {
			for method, quota := range w.quota(&w.servers[s]) {
				if untaught[method] {
					all[method] = quota
				}
			}
		}
	}
	for _, method := range slices.Sorted(maps.Keys(all)) {
		into.shuffle(method, all[method])
	}
}

// part counts calls by method.
type part struct{ served, made map[int32]float64 }

// quota counts the calls of each method that one call of a method makes. Methods whose numbers are not whole are left out.
func (w *work) quota(s *server) map[int32]map[int32]int {
	parts := w.parts(s)
	if len(parts) < leastParts {
		return nil
	}
	made, served := map[int32]bool{}, map[int32]bool{}
	for _, p := range parts {
		for m := range p.made {
			made[m] = true
		}
		for m := range p.served {
			served[m] = true
		}
	}
	methods := slices.Sorted(maps.Keys(served))
	out := map[int32]map[int32]int{}
	for _, m := range methods {
		out[m] = map[int32]int{}
	}
	for _, m := range slices.Sorted(maps.Keys(made)) {
		for n, often := range shares(parts, methods, m) {
			whole := math.Round(often)
			switch of := out[methods[n]]; {
			case math.Abs(often-whole) > nearInteger:
				delete(out, methods[n])
			case whole > 0 && of != nil:
				of[m] = int(whole)
			}
		}
	}
	return out
}

// shares are the calls of one method that each served method makes, by least squares, none below 0.
func shares(parts []part, methods []int32, made int32) []float64 {
	n := len(methods)
	square, with := make([]float64, n*n), make([]float64, n)
	for _, p := range parts {
		for i, a := range methods {
			for j, b := range methods {
				square[i*n+j] += p.served[a] * p.served[b]
			}
			with[i] += p.served[a] * p.made[made]
		}
	}
	out := make([]float64, n)
	for range sweeps {
		for i := range n {
			left := with[i]
			for j := range n {
				if j != i {
					left -= square[i*n+j] * out[j]
				}
			}
			out[i] = max(0, left/square[i*n+i])
		}
	}
	return out
}

// parts are traces where all calls of a server have them, else parts of the time.
func (w *work) parts(s *server) []part {
	without := func(i int32) bool { return !w.entries[i].traced() }
	if !slices.ContainsFunc(s.served, without) && !slices.ContainsFunc(s.made, without) {
		return w.byTrace(s)
	}
	return w.byTime(s)
}

// byTime are parts of the time with so many calls served in each. A call that is served in several counts in each as long as it is.
func (w *work) byTime(s *server) []part {
	var out []part
	var from []int64 // when each part begins
	for n := 0; n < len(s.served) && len(out) < mostParts; n += partCalls {
		out = append(out, newPart())
		from = append(from, w.entries[s.served[n]].begin)
	}
	from = append(from, math.MaxInt64)
	if len(s.served) > len(out)*partCalls {
		from[len(out)] = w.entries[s.served[len(out)*partCalls]].begin
	}
	for n, i := range s.served {
		e := &w.entries[i]
		for at := n / partCalls; at < len(out) && from[at] <= e.end; at++ {
			share := 1.0
			if e.end > e.begin {
				share = float64(min(e.end, from[at+1])-max(e.begin, from[at])) / float64(e.end-e.begin)
			}
			out[at].served[e.method] += share
		}
	}
	at := 0
	for _, i := range s.made {
		e := &w.entries[i]
		for at < len(out) && from[at+1] <= e.begin {
			at++
		}
		if at < len(out) && from[0] <= e.begin {
			out[at].made[e.method]++
		}
	}
	return out[:max(0, len(out)-1)] // the last one is not full
}

func newPart() part { return part{map[int32]float64{}, map[int32]float64{}} }

func (w *work) byTrace(s *server) []part {
	at := map[[16]byte]int{}
	var out []part
	of := func(e *entry) *part {
		n, has := at[e.trace]
		if !has {
			n = len(out)
			at[e.trace] = n
			out = append(out, newPart())
		}
		return &out[n]
	}
	for _, i := range s.served {
		of(&w.entries[i]).served[w.entries[i].method]++
		if len(out) > mostParts {
			break
		}
	}
	for _, i := range s.made {
		if _, has := at[w.entries[i].trace]; has {
			of(&w.entries[i]).made[w.entries[i].method]++
		}
	}
	return out[:max(0, len(out)-1)]
}

// shuffle adds a program that makes so many calls of each method in any order.
func (p *Programs) shuffle(method int32, quota map[int32]int) {
	plans := 1
	methods := slices.SortedFunc(maps.Keys(quota), cmp.Compare[int32])
	for _, m := range methods {
		if plans *= quota[m] + 1; plans > mostPlans {
			return
		}
	}
	of := &p.of[method]
	type plan struct {
		at   int32
		made []int
	}
	seen := map[int32]bool{0: true}
	for todo := []plan{{of.reach(0), make([]int, len(methods))}}; len(todo) > 0; todo = todo[1:] {
		at, next := todo[0], []turn(nil)
		for n, m := range methods {
			if at.made[n] == quota[m] {
				continue
			}
			to := of.reach(after(of.states[at.at].key, m))
			next = append(next, turn{method: m, to: to, often: ofGuess}, turn{method: m, busy: true, to: to, often: ofGuess})
			if !seen[to] {
				seen[to] = true
				made := slices.Clone(at.made)
				made[n]++
				todo = append(todo, plan{to, made})
			}
		}
		if next == nil {
			next = []turn{{method: nobody, to: nobody, often: ofGuess}}
		}
		of.states[at.at].next = next
	}
}
