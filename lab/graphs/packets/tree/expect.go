package tree

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/lab/graphs/topology"
)

// plays counts the plays of a method that calls several at once: they come in any order.
const plays = 64

// played is a call that a method makes when it is played, in no unit of time.
type played struct {
	method     int32
	begin, end float64
}

// expect adds what the methods of a topology do, as far as these calls have such methods. The gaps stay unknown.
func (p *Programs) expect(g *topology.Graph) {
	numbers := map[string][]int32{}
	for i, name := range p.names {
		call := name.service + "." + short(name.method)
		numbers[call] = append(numbers[call], int32(i))
	}
	for _, n := range g.Nodes {
		for _, m := range n.Methods {
			for _, method := range numbers[n.Name+"."+m.Name] {
				p.play(method, m.Steps, numbers)
			}
		}
	}
}

// short is the name that a topology has of a method: the last part of a path, in lower case where it has no other letters.
func short(method string) string {
	if at := strings.LastIndexAny(method, "/ "); at >= 0 {
		method = method[at+1:]
	}
	if method == strings.ToUpper(method) {
		return strings.ToLower(method) // of Redis
	}
	return method
}

// play adds what a method does: once, or many times by chance.
func (p *Programs) play(method int32, steps []topology.Step, numbers map[string][]int32) {
	times := 1
	if anyAtOnce(steps) {
		times = plays
	}
	chance := rand.New(rand.NewPCG(1, uint64(method)))
	for range times {
		all, _ := playAll(steps, 0, numbers, chance, nil)
		slices.SortStableFunc(all, func(a, b played) int { return cmp.Compare(a.begin, b.begin) })
		w, last := p.walk(method, 1/float32(times), 0), 0.0
		for _, one := range all {
			w.step(one.method, one.begin < last, unknownGap)
			last = max(last, one.end)
		}
		w.step(nobody, false, unknownGap)
	}
}

func anyAtOnce(steps []topology.Step) bool {
	return slices.ContainsFunc(steps, func(s topology.Step) bool { return len(s.AtOnce) > 0 || anyAtOnce(s.InTurn) })
}

// playAll makes steps one after the other, and says when they are done.
func playAll(steps []topology.Step, at float64, numbers map[string][]int32, chance *rand.Rand, all []played) ([]played, float64) {
	for _, s := range steps {
		for range max(1, s.Times) {
			if of := numbers[s.Call]; len(of) > 0 {
				end := at + chance.ExpFloat64()
				all = append(all, played{of[0], at, end})
				at = end
			}
			end := at
			for i := range s.AtOnce {
				var done float64
				all, done = playAll(s.AtOnce[i:i+1], at+chance.ExpFloat64(), numbers, chance, all)
				end = max(end, done)
			}
			all, at = playAll(s.InTurn, end, numbers, chance, all)
		}
	}
	return all, at
}
