package tree

import (
	"maps"
	"math"
	"slices"
)

// Where a server is never alone with a call, nothing shows what its methods do. But if each call of a method makes the same calls, in
// whatever order, their numbers show how many: over parts of the time, the calls made are a sum over the calls served.

const (
	leastParts = 8    // parts of the time that numbers are taken from
	mostParts  = 4096 // further ones are left out
	partCalls  = 32   // calls served that begin in a part of the time
	mostPlans  = 1024 // states that a program may have
	sweeps     = 300
)

// quotas adds programs of the methods that are not known, by the numbers of their calls. Nothing tells their order.
func (w *work) quotas(known, into *Programs) {
	untaught := func(method int32) bool { return !known.known(method) && !into.known(method) }
	for i := range w.servers {
		s := &w.servers[i]
		if !s.opens || !slices.ContainsFunc(s.served, func(i int32) bool { return untaught(w.entries[i].method) }) {
			continue
		}
		all := w.quota(s)
		for _, method := range slices.Sorted(maps.Keys(all)) {
			if untaught(method) {
				into.shuffle(method, all[method])
			}
		}
	}
}

// quota counts the calls of each method that one call of a method makes, to the nearest whole number.
func (w *work) quota(s *server) map[int32]map[int32]int {
	parts := w.parts(s)
	if len(parts) < leastParts {
		return nil
	}
	served, made := map[int32]float64{}, map[int32]float64{}
	for _, p := range parts {
		maps.Copy(served, p.served)
		maps.Copy(made, p.made)
	}
	methods := slices.Sorted(maps.Keys(served))
	out := map[int32]map[int32]int{}
	for _, of := range methods {
		out[of] = map[int32]int{}
	}
	for m := range made {
		for n, often := range shares(parts, methods, m) {
			if whole := int(math.Round(often)); whole > 0 {
				out[methods[n]][m] = whole
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

// part counts calls by method.
type part struct{ served, made map[int32]float64 }

// parts are those of the time in which so many served calls begin. A call that is served in several counts in each as long as it is.
func (w *work) parts(s *server) []part {
	var from []int64 // when each begins, and the last one ends
	for n := 0; n < len(s.served) && len(from) <= mostParts; n += partCalls {
		from = append(from, w.entries[s.served[n]].begin)
	}
	out := make([]part, max(0, len(from)-1))
	for at := range out {
		out[at] = part{map[int32]float64{}, map[int32]float64{}}
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
	at := -1
	for _, i := range s.made {
		e := &w.entries[i]
		for at+1 < len(from) && from[at+1] <= e.begin {
			at++
		}
		if at >= 0 && at < len(out) {
			out[at].made[e.method]++
		}
	}
	return out
}

// shuffle adds a program that makes so many calls of each method in any order.
func (p *Programs) shuffle(method int32, quota map[int32]int) {
	plans, methods := 1, slices.Sorted(maps.Keys(quota))
	for _, m := range methods {
		if plans *= quota[m] + 1; plans > mostPlans {
			return
		}
	}
	type plan struct {
		at   int32
		made []int
	}
	of := &p.of[method]
	for todo := []plan{{of.reach(0), make([]int, len(methods))}}; len(todo) > 0; todo = todo[1:] {
		at, next := todo[0], []turn(nil)
		for n, m := range methods {
			if at.made[n] == quota[m] {
				continue
			}
			known := len(of.states)
			to := of.reach(after(of.states[at.at].key, m))
			next = append(next, turn{method: m, to: to, often: ofGuess}, turn{method: m, busy: true, to: to, often: ofGuess})
			if len(of.states) > known {
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
