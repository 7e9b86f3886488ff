// Profiles that are objects: speedscope's, of Node, and pprof's, which is also written.

package profile

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/google/pprof/profile"
)

// speedscopeFile is a file of py-spy: https://www.speedscope.app/file-format-schema.json.
type speedscopeFile struct {
	Shared struct {
		Frames []struct{ Name, File string }
	}
	Profiles []struct {
		Type, Name, Unit string
		Samples          [][]int
		Weights          []float64
	}
}

// scales are the units of speedscope, in those of profiles.
var scales = map[string]struct {
	unit string
	by   float64
}{
	"none": {Samples, 1}, "bytes": {Bytes, 1}, "nanoseconds": {Nanoseconds, 1}, "microseconds": {Nanoseconds, 1e3},
	"milliseconds": {Nanoseconds, 1e6}, "seconds": {Nanoseconds, 1e9},
}

// spyThread is the name of a thread in the name of a profile of py-spy, Process 12 Thread 34 "MainThread", and spyFrame that
// in the outermost frames, which it adds: one of each process, the parent first, then thread (34): MainThread.
var (
	spyThread = regexp.MustCompile(`"(.*)"\s*$`)
	spyFrame  = regexp.MustCompile(`^(?:process \d+|thread \((?:0x)?[0-9A-Fa-f]+\))(?:: ?(.*))?$`)
)

// waiting are Python's functions in which a thread waits, whose samples are no CPU: py-spy means to leave them out, and knows
// them by names without a class alone.
var waiting = compile([]string{
	"wait (threading.py)", "_wait_for_tstate_lock (threading.py)", "select (selectors.py)", "accept (socket.py)", "get (queue.py)",
	"_worker (concurrent/futures/thread.py)",
})

func readSpeedscope(b *builder, r io.Reader) error {
	var file speedscopeFile
	if err := decode(r, &file); err != nil {
		return err
	}
	for i, of := range file.Profiles {
		scale, known := scales[of.Unit]
		switch {
		case of.Type != "sampled" || !known:
			return fmt.Errorf("profile %d is %q in %q, not sampled in seconds or samples", i+1, of.Type, of.Unit)
		case len(of.Weights) != len(of.Samples):
			return fmt.Errorf("profile %d has %d samples and %d weights", i+1, len(of.Samples), len(of.Weights))
		case i > 0 && b.p.Unit != scale.unit:
			return fmt.Errorf("profile %d is in %q, and the first is not", i+1, of.Unit)
		}
		b.p.Unit = scale.unit
		thread := of.Name
		if m := spyThread.FindStringSubmatch(thread); m != nil {
			thread = m[1]
		}
		thread = normalThread(thread)
		for j, sample := range of.Samples {
			var stack []int32
			thread := thread
			for _, f := range sample {
				if f < 0 || f >= len(file.Shared.Frames) {
					return fmt.Errorf("sample %d of profile %d has the frame %d of %d", j+1, i+1, f, len(file.Shared.Frames))
				}
				frame := file.Shared.Frames[f]
				if m := spyFrame.FindStringSubmatch(frame.Name); m != nil && frame.File == "" && len(stack) == 0 {
					thread = normalThread(m[1])
					continue
				}
				stack = append(stack, b.frame(frame.Name, frame.File, 0))
			}
			if n := len(stack); n > 0 && anyMatches(waiting, b.p.Frames[stack[n-1]]) {
				continue
			}
			value := math.Round(of.Weights[j] * scale.by)
			if !(value >= 0) || value > math.MaxInt64/2 {
				return fmt.Errorf("sample %d of profile %d weighs %v", j+1, i+1, of.Weights[j])
			}
			if err := b.add(thread, stack, int64(value), 1); err != nil {
				return err
			}
		}
	}
	return nil
}

// nodeProfile is what V8 writes: a tree, and its node for each sample, with the microseconds since the one before. Of these only
// the median counts: a process that waits for its CPU has one long one, which cost nothing.
type nodeProfile struct {
	Nodes []struct {
		ID        int
		CallFrame struct {
			FunctionName, URL string
			LineNumber        int
		}
		Children []int
	}
	Samples    []int
	TimeDeltas []int64
}

func readCPUProfile(b *builder, r io.Reader) error {
	var file nodeProfile
	if err := decode(r, &file); err != nil {
		return err
	}
	at, parent := make(map[int]int, len(file.Nodes)), map[int]int{}
	for i, n := range file.Nodes {
		if _, twice := at[n.ID]; twice {
			return fmt.Errorf("node %d is there twice", n.ID)
		}
		at[n.ID] = i
		for _, child := range n.Children {
			if _, twice := parent[child]; twice {
				return fmt.Errorf("node %d has two parents", child)
			}
			parent[child] = n.ID
		}
	}
	if n := len(file.TimeDeltas); n > 0 {
		slices.Sort(file.TimeDeltas)
		b.p.Apart = time.Duration(min(max(0, file.TimeDeltas[n/2]), int64(time.Hour/time.Microsecond))) * time.Microsecond
	}
	stacks := map[int][]int32{}
	for i, id := range file.Samples {
		stack, known := stacks[id]
		if !known {
			for node, steps := id, 0; ; steps++ {
				n, there := at[node]
				if !there || steps > len(file.Nodes) {
					return fmt.Errorf("sample %d is of the node %d, which leads to no root", i+1, id)
				}
				call := file.Nodes[n].CallFrame
				if call.FunctionName != "(root)" {
					name, line := call.FunctionName, call.LineNumber+1
					if name == "" {
						name = "(anonymous)"
					}
					stack = append(stack, b.frame(name, strings.TrimPrefix(call.URL, "file://"), max(line, 0)))
				}
				up, has := parent[node]
				if !has {
					break
				}
				if node = up; len(stack) > 2*maxDepth {
					break
				}
			}
			slices.Reverse(stack)
			stacks[id] = stack
		}
		if idle := len(stack) == 1 && b.p.Frames[stack[0]].Name == "(idle)"; idle {
			continue // the thread waits: it uses no CPU
		}
		if err := b.add("", stack, 1, 1); err != nil {
			return err
		}
	}
	return nil
}

// Labels of samples in pprof files.
const (
	labelThread = "thread"
	labelOwner  = "owner"
	labelStage  = "stage"
	labelTask   = "task"
	labelOwned  = "owned" // numbers: which frames of the stack are the owner's, the outermost being 1: from, up to before, from; where all are there is none
)

func readPprof(b *builder, r io.Reader) error {
	text, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	if bytes.HasPrefix(text, []byte{0x1f, 0x8b}) {
		unpacked, err := gzip.NewReader(bytes.NewReader(text))
		if err != nil {
			return err
		}
		if text, err = io.ReadAll(io.LimitReader(unpacked, maxInput+1)); err != nil {
			return err
		}
		if len(text) > maxInput {
			return fmt.Errorf("unpacked it has more than %d MB", maxInput>>20)
		}
	}
	of, err := profile.ParseUncompressed(text)
	if err != nil {
		return err
	}
	value, count := -1, -1
	for i, t := range of.SampleType {
		switch t.Unit {
		case "nanoseconds", "bytes":
			value, b.p.Unit = i, t.Unit
		case "count":
			count = i
		}
	}
	if value < 0 {
		value = count
	}
	if value < 0 {
		return errors.New("it has no samples in nanoseconds, bytes or counts")
	}
	for i, s := range of.Sample {
		if len(s.Value) != len(of.SampleType) {
			return fmt.Errorf("sample %d has %d values of %d", i+1, len(s.Value), len(of.SampleType))
		}
		var stack []int32
		for _, l := range s.Location { // the innermost first, and so are the lines of one
			for _, line := range l.Line {
				if line.Function != nil {
					stack = append(stack, b.frame(line.Function.Name, line.Function.Filename, int(line.Function.StartLine)))
				}
			}
			if len(l.Line) == 0 {
				file := ""
				if l.Mapping != nil {
					file = l.Mapping.File
				}
				stack = append(stack, b.frame(unknown, file, 0))
			}
		}
		slices.Reverse(stack)
		n := int64(1)
		if count >= 0 {
			n = s.Value[count]
		}
		if err := b.add(normalThread(strings.Join(s.Label[labelThread], " ")), stack, s.Value[value], n); err != nil {
			return fmt.Errorf("sample %d: %w", i+1, err)
		}
		if b.labels != nil {
			if err := b.labels(s.Label, s.NumLabel, len(b.p.Samples)); err != nil {
				return fmt.Errorf("sample %d: %w", i+1, err)
			}
		}
	}
	return nil
}

// unknown is a frame without a name.
const unknown = "[unknown]"

// WritePprof writes a profile for go tool pprof and others that read its format, with labels: each sample's thread, owner,
// stage and task.
func WritePprof(w io.Writer, p *Profile, r *Rules) error {
	kind := map[string]string{Nanoseconds: "time", Bytes: "space"}[p.Unit]
	if kind == "" {
		kind = "value"
	}
	out := &profile.Profile{SampleType: []*profile.ValueType{{Type: "samples", Unit: "count"}, {Type: kind, Unit: p.Unit}}, DefaultSampleType: kind}
	if p.Unit == Samples {
		out.SampleType = out.SampleType[:1]
		out.DefaultSampleType = "samples"
	}
	places := make([]*profile.Location, len(p.Frames))
	for i, f := range p.Frames {
		function := &profile.Function{ID: uint64(i + 1), Name: f.Name, SystemName: f.Name, Filename: f.File, StartLine: int64(f.Line)}
		places[i] = &profile.Location{ID: uint64(i + 1), Line: []profile.Line{{Function: function, Line: int64(f.Line)}}}
		out.Function, out.Location = append(out.Function, function), append(out.Location, places[i])
	}
	sorter := r.sorter(p)
	for _, s := range p.Samples {
		of := sorter.cause(s)
		one := &profile.Sample{Value: []int64{s.Count, s.Value}[:len(out.SampleType)], Label: map[string][]string{labelOwner: {of.Owner.String()}}}
		if len(sorter.owned) > 1 || sorter.owned[0] > 0 {
			one.NumLabel = map[string][]int64{}
			for _, i := range sorter.owned {
				one.NumLabel[labelOwned] = append(one.NumLabel[labelOwned], i+1) // pprof has no label of 0
			}
		}
		for label, value := range map[string]string{labelThread: s.Thread, labelStage: of.Stage, labelTask: of.Task} {
			if value != "" {
				one.Label[label] = []string{value}
			}
		}
		for j := len(s.Stack) - 1; j >= 0; j-- {
			one.Location = append(one.Location, places[s.Stack[j]])
		}
		out.Sample = append(out.Sample, one)
	}
	if err := out.Write(w); err != nil {
		return fmt.Errorf("writing a profile in the format pprof: %w", err)
	}
	return nil
}
