// Stacks of several profiles folded into a tree, each where its caller is: what flame graphs are drawn of.

package profile

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
)

// Kind identifies the work that samples were taken in, without the place. Stage and Task are as in Cause.
type Kind struct {
	Owner Owner
	Does
}

// Sorted is a profile whose samples were sorted, as WritePprof keeps it. Each stack has the frames of its owner alone: the
// tracer's begins where the tracer is called, and the program's lacks the tracer's wrappers.
type Sorted struct {
	*Profile
	Kinds []Kind // of each sample
}

// ReadSorted reads what WritePprof wrote.
func ReadSorted(r io.Reader) (*Sorted, error) {
	out := &Sorted{}
	var owned [][]int64
	p, err := read(Pprof, r, func(text map[string][]string, numbers map[string][]int64, stacks int) error {
		if stacks == len(out.Kinds) {
			return nil // more of a stack that is known
		}
		kind, err := kindOf(text)
		out.Kinds, owned = append(out.Kinds, kind), append(owned, numbers[labelOwned])
		return err
	})
	if err != nil {
		return nil, err
	}
	out.Profile = p
	for i := range p.Samples {
		s := &p.Samples[i]
		s.Stack = ownedOf(s.Stack, owned[i])
	}
	return out, nil
}

// kindOf returns the kind in the labels of a sample.
func kindOf(labels map[string][]string) (Kind, error) {
	of := func(label string, list []string) string {
		if one := labels[label]; len(one) == 1 && slices.Contains(list, one[0]) {
			return one[0]
		}
		return NoRule
	}
	for owner := range owners {
		if one := labels[labelOwner]; len(one) != 1 || one[0] != owner.String() {
			continue
		}
		if owner != Tracer {
			return Kind{Owner: owner}, nil
		}
		return Kind{owner, Does{Stage: of(labelStage, Stages), Task: of(labelTask, Tasks)}}, nil
	}
	return Kind{}, fmt.Errorf("it has the owner %q, and no label of one that tracetax writes", labels[labelOwner])
}

// ownedOf are the frames of a stack that lie in ranges, as a label has them; all where there is none.
func ownedOf(stack []int32, ranges []int64) []int32 {
	var out []int32
	for i := 0; i < len(ranges); i += 2 {
		to := int64(len(stack))
		if i+1 < len(ranges) {
			to = ranges[i+1] - 1
		}
		if from := ranges[i] - 1; from >= 0 && from <= to && to <= int64(len(stack)) {
			out = append(out, stack[from:to]...)
		}
	}
	if len(ranges) == 0 {
		return stack
	}
	return out
}

// Tree is the stacks of several sides, such as variants. A frame that is called in the same way on several sides is one node.
type Tree struct {
	Frames  []Frame // each once
	Nodes   []Node  // a caller before those that it calls
	Own     []Own   // what was found in nodes themselves, and not in those that they call
	amounts []float64
	sides   int

	frames map[Frame]int32
	nodes  map[Node]int32
	own    map[Own]int32
}

// Node is a frame below its caller.
type Node struct {
	Up    int32 // index of the caller's node; -1: it has none
	Frame int32 // index of the frame
}

// Own is a node, -1 where samples had no frame, and what they were taken in.
type Own struct {
	Node int32
	Kind Kind
}

// NewTree is one without a stack.
func NewTree(sides int) *Tree {
	return &Tree{sides: sides, frames: map[Frame]int32{}, nodes: map[Node]int32{}, own: map[Own]int32{}}
}

// Add folds a profile into the tree, on one side. Each is the amount that 1 of the profile's unit stands for.
func (t *Tree) Add(side int, s *Sorted, each float64) {
	frames := make([]int32, len(s.Frames))
	for i, f := range s.Frames {
		f.Line = 0 // one of Python begins in each line that was sampled
		frames[i] = indexIn(t.frames, f, &t.Frames)
	}
	stacks := stacksOf(s.Samples)
	// Stacks that begin alike stand together, so only what differs from the last one is looked up.
	slices.SortFunc(stacks, func(a, b samples) int { return slices.Compare(a.stack, b.stack) })
	var before, way []int32 // of the last stack: its frames, and their nodes
	n := -1
	for _, one := range stacks {
		at, same := int32(-1), true
		for depth, f := range one.stack {
			if same = same && depth < len(before) && before[depth] == f; same {
				at = way[depth]
				continue
			}
			at = indexIn(t.nodes, Node{at, frames[f]}, &t.Nodes)
			way = append(way[:depth], at)
		}
		before = one.stack
		for _, i := range one.of {
			if own := (Own{at, s.Kinds[i]}); n < 0 || t.Own[n] != own {
				n = int(indexIn(t.own, own, &t.Own))
			}
			for len(t.amounts) < len(t.Own)*t.sides {
				t.amounts = append(t.amounts, 0)
			}
			t.amounts[n*t.sides+side] += float64(s.Samples[i].Value) * each
		}
	}
}

// samples are those that have the same stack.
type samples struct {
	stack []int32
	of    []int32 // their indices, in order
}

// stacksOf puts samples with the same stack together: there are far fewer stacks than samples.
func stacksOf(all []Sample) []samples {
	var out []samples
	known := map[string]int{}
	var key []byte
	for i := range all {
		key = key[:0]
		for _, f := range all[i].Stack {
			key = binary.NativeEndian.AppendUint32(key, uint32(f))
		}
		n, is := known[string(key)]
		if !is {
			n = len(out)
			known[string(key)], out = n, append(out, samples{stack: all[i].Stack})
		}
		out[n].of = append(out[n].of, int32(i))
	}
	return out
}

// indexIn returns the index of something in a list, and appends it if it is new.
func indexIn[T comparable](known map[T]int32, one T, list *[]T) int32 {
	i, is := known[one]
	if !is {
		i = int32(len(*list))
		known[one], *list = i, append(*list, one)
	}
	return i
}

// Amounts are those of Own[i], by side.
func (t *Tree) Amounts(i int) []float64 { return t.amounts[i*t.sides : (i+1)*t.sides] }

// Total is the amount of all, by side.
func (t *Tree) Total() []float64 {
	out := make([]float64, t.sides)
	for i, amount := range t.amounts {
		out[i%t.sides] += amount
	}
	return out
}

// Prune is the tree with its largest nodes, as many as given at most. What was found in the others is in their nearest
// caller that is left. Less is the amount of the largest that went, on the side where it is largest, and cut the amount of
// all that went.
func (t *Tree) Prune(most int) (out *Tree, less float64, cut []float64) {
	cut = make([]float64, t.sides)
	sizes := t.sizes()
	if len(sizes) <= most {
		return t, 0, cut
	}
	order := slices.Sorted(slices.Values(sizes))
	less = order[len(order)-1-most]
	out = NewTree(t.sides)
	to := make([]int32, len(t.Nodes))
	for i, n := range t.Nodes {
		up := int32(-1)
		if n.Up >= 0 {
			up = to[n.Up]
		}
		if to[i] = up; sizes[i] > less {
			to[i] = indexIn(out.nodes, Node{up, indexIn(out.frames, t.Frames[n.Frame], &out.Frames)}, &out.Nodes)
		}
	}
	for i, own := range t.Own {
		gone := false
		if own.Node >= 0 {
			gone = sizes[own.Node] <= less
			own.Node = to[own.Node]
		}
		n := int(indexIn(out.own, own, &out.Own))
		for len(out.amounts) < len(out.Own)*t.sides {
			out.amounts = append(out.amounts, 0)
		}
		for side, amount := range t.Amounts(i) {
			if out.amounts[n*t.sides+side] += amount; gone {
				cut[side] += amount
			}
		}
	}
	return out, less, cut
}

// sizes are the amounts of the nodes, callees included, on the side with more.
func (t *Tree) sizes() []float64 {
	sums := make([]float64, len(t.Nodes)*t.sides)
	for i, own := range t.Own {
		for side, amount := range t.Amounts(i) {
			if own.Node >= 0 {
				sums[int(own.Node)*t.sides+side] += math.Abs(amount)
			}
		}
	}
	out := make([]float64, len(t.Nodes))
	for i := len(t.Nodes) - 1; i >= 0; i-- {
		of := sums[i*t.sides : (i+1)*t.sides]
		out[i] = slices.Max(of)
		for side, amount := range of {
			if up := t.Nodes[i].Up; up >= 0 {
				sums[int(up)*t.sides+side] += amount
			}
		}
	}
	return out
}

// Function has the samples of a function itself, over all its callers. Its name is empty for samples without a frame.
type Function struct {
	Frame
	Amounts []float64 // by side
}

// Functions are those of the causes that are asked for, from the one that differs most between two sides.
func (t *Tree) Functions(is func(Kind) bool, a, b int) []Function {
	found := map[Frame][]float64{}
	for i, own := range t.Own {
		if !is(own.Kind) {
			continue
		}
		var f Frame
		if own.Node >= 0 {
			f = t.Frames[t.Nodes[own.Node].Frame]
		}
		if found[f] == nil {
			found[f] = make([]float64, t.sides)
		}
		for side, amount := range t.Amounts(i) {
			found[f][side] += amount
		}
	}
	var out []Function
	for _, f := range slices.SortedFunc(maps.Keys(found), func(x, y Frame) int { return cmp.Or(cmp.Compare(x.Name, y.Name), cmp.Compare(x.File, y.File)) }) {
		out = append(out, Function{f, found[f]})
	}
	differs := func(f Function) float64 { return math.Abs(f.Amounts[a] - f.Amounts[b]) }
	slices.SortStableFunc(out, func(x, y Function) int { return cmp.Compare(differs(y), differs(x)) })
	return out
}
