// Package profile owns what profilers measured: the formats that they write, the rules that say which frames are a tracer's
// and what these do, and the owner and task of each sample. It is pure.
//
// It must not know how a profiler is run, where files lie, how rules are read from YAML (config/program does that, as it
// reads topologies), what a sample costs, nor how a cause is shown.
package profile

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Format is one that a profiler writes.
type Format string

// The formats that are read.
const (
	Collapsed  Format = "collapsed"  // async-profiler, with threads
	Speedscope Format = "speedscope" // py-spy, with --full-filenames
	CPUProfile Format = "cpuprofile" // Node's
	Perf       Format = "perf"       // what perf script prints
	Pprof      Format = "pprof"      // with or without gzip
)

// Units of values. A collapsed file has none: it is read as samples.
const (
	Samples     = "samples"
	Nanoseconds = "nanoseconds"
	Bytes       = "bytes"
)

// Profile has the samples that one profiler took of one process.
type Profile struct {
	Frames  []Frame       // each once
	Samples []Sample      // each stack of a thread once
	Unit    string        // of all values
	Total   int64         // of all values
	Count   int64         // of all counts
	Apart   time.Duration // of two samples, in the median; 0 if unknown
}

// Frame is a function in a stack. Names are as the profiler writes them, without what differs from one process to the next:
// addresses of lambdas, numbers of generated classes, hashes.
type Frame struct {
	Name string
	File string // the source, or the library; "" if unknown
	Line int    // where the function begins; 0 if unknown
}

// Sample is a stack of a thread, and how much was found in it.
type Sample struct {
	Thread string  // its name, with * for numbers; "" if unknown
	Stack  []int32 // indices of Frames, the outermost first
	Value  int64   // in the profile's unit
	Count  int64   // samples as they were taken
}

// String is the frame as rules name it: NAME, or NAME (FILE).
func (f Frame) String() string {
	if f.File == "" {
		return f.Name
	}
	return f.Name + " (" + f.File + ")"
}

// Divide makes each value an nth: of n timers that all saw the same time.
func (p *Profile) Divide(n int64) {
	p.Total = 0
	for i := range p.Samples {
		p.Samples[i].Value /= n
		p.Total += p.Samples[i].Value
	}
}

// AreBytes sets the unit to bytes, with the mean distance of two samples.
func (p *Profile) AreBytes(apart int64) {
	p.Unit, p.Count = Bytes, 0
	for i := range p.Samples {
		one := &p.Samples[i]
		one.Count = max(1, one.Value/apart)
		p.Count += one.Count
	}
}

// Bounds of a profile. They are far beyond what a stretch of seconds leaves, and keep a hostile file from using much memory.
const (
	maxInput  = 512 << 20 // bytes, also of what is unpacked
	maxLine   = 64 << 20  // bytes
	maxName   = 1024      // bytes of a name that are kept
	maxDepth  = 2048      // frames of a stack; of a deeper one those in its middle are left out
	maxStacks = 1 << 20   // different ones
	maxKept   = 64 << 20  // frames in all stacks
	maxFrames = 1 << 20   // different ones
)

// Read reads a profile. An error names the wrong line, or the limit that is exceeded.
func Read(format Format, r io.Reader) (*Profile, error) { return read(format, r, nil) }

// read gives labels to a function where there is one.
func read(format Format, r io.Reader, labels func(text map[string][]string, n map[string][]int64, stacks int) error) (*Profile, error) {
	limited := &io.LimitedReader{R: r, N: maxInput + 1}
	b := &builder{p: &Profile{Unit: Samples}, frames: map[Frame]int32{}, names: map[string]string{}, stacks: map[string]int{}, labels: labels}
	parse, known := map[Format]func(*builder, io.Reader) error{
		Collapsed: readCollapsed, Speedscope: readSpeedscope, CPUProfile: readCPUProfile, Perf: readPerf, Pprof: readPprof,
	}[format]
	if !known {
		return nil, fmt.Errorf("a profile in the format %q cannot be read", format)
	}
	err := parse(b, limited)
	if limited.N <= 0 {
		err = fmt.Errorf("it has more than %d MB", maxInput>>20)
	}
	if err != nil {
		return nil, fmt.Errorf("reading a profile in the format %s: %w", format, err)
	}
	return b.p, nil
}

// builder makes a profile of stacks, each kept once.
type builder struct {
	p      *Profile
	frames map[Frame]int32
	names  map[string]string // normalised
	stacks map[string]int    // samples by thread and stack
	key    []byte
	kept   int
	err    error                                                                  // the first bound that was passed
	labels func(text map[string][]string, n map[string][]int64, stacks int) error // is called with those of each of pprof's samples, and the number of stacks so far; may be nil
}

// frame is the index of a frame.
func (b *builder) frame(name, file string, line int) int32 {
	short, known := b.names[name]
	if !known {
		if short = normal(name); len(name) <= maxName && len(b.names) < maxFrames {
			b.names[name] = short
		}
	}
	f := Frame{short, cut(file), line}
	i, known := b.frames[f]
	if !known {
		if len(b.p.Frames) == maxFrames {
			b.err = fmt.Errorf("it has more than %d different frames", maxFrames)
			return 0
		}
		i = int32(len(b.p.Frames))
		f.Name, f.File = strings.Clone(f.Name), strings.Clone(f.File)
		b.frames[f] = i
		b.p.Frames = append(b.p.Frames, f)
	}
	return i
}

// leftOut is the frame in the place of those in the middle of a very deep stack.
const leftOut = "(frames left out)"

// add counts a stack, the outermost frame first.
func (b *builder) add(thread string, stack []int32, value, count int64) error {
	if b.err != nil {
		return b.err
	}
	if value < 0 || count < 0 || b.p.Total+value < 0 || b.p.Count+count < 0 {
		return fmt.Errorf("the value %d is negative, or too large", value)
	}
	if value == 0 && count == 0 {
		return nil
	}
	thread = cut(thread)
	if len(stack) > maxDepth {
		short := append([]int32{}, stack[:maxDepth/2]...)
		short = append(short, b.frame(leftOut, "", 0))
		stack = append(short, stack[len(stack)-maxDepth/2:]...)
	}
	b.key = append(append(b.key[:0], thread...), 0)
	for _, f := range stack {
		b.key = binary.LittleEndian.AppendUint32(b.key, uint32(f))
	}
	b.p.Total += value
	b.p.Count += count
	if i, known := b.stacks[string(b.key)]; known {
		b.p.Samples[i].Value += value
		b.p.Samples[i].Count += count
		return nil
	}
	if b.kept += len(stack); len(b.p.Samples) == maxStacks || b.kept > maxKept {
		return errors.New("it has too many different stacks; profile for less time, or at longer intervals")
	}
	b.stacks[string(b.key)] = len(b.p.Samples)
	b.p.Samples = append(b.p.Samples, Sample{Thread: strings.Clone(thread), Stack: append([]int32(nil), stack...), Value: value, Count: count})
	return nil
}

// cut is a name without what makes it too long or unreadable.
func cut(name string) string {
	if !utf8.ValidString(name) {
		name = strings.ToValidUTF8(name[:min(len(name), 4*maxName)], "\uFFFD")
	}
	if strings.ContainsFunc(name, unicode.IsControl) {
		name = strings.Map(func(r rune) rune {
			if unicode.IsControl(r) {
				return unicode.ReplacementChar
			}
			return r
		}, name)
	}
	if len(name) <= maxName {
		return name
	}
	end := maxName
	for !utf8.RuneStart(name[end]) {
		end--
	}
	return name[:end] + "…"
}

// What differs in names from one process to the next: Java's lambdas, hidden classes and generated ones, hashes of Rust,
// parts into which compilers cut a function.
var (
	lambdas   = regexp.MustCompile(`\$\$Lambda(\$\d+)?([./+]0x[0-9a-f]+)?`)
	hidden    = regexp.MustCompile(`[./+]0x[0-9a-f]{6,}`)
	generated = regexp.MustCompile(`(\$Proxy|Accessor|CGLIB\$\$)\d+`)
	clones    = regexp.MustCompile(`(::h[0-9a-f]{16}|\.abi0|\.(part|constprop|isra|llvm)\.\d+|\.cold(\.\d+)?)+$`)
	numbers   = regexp.MustCompile(`\d+`)
)

func normal(name string) string {
	name = cut(name)
	if strings.Contains(name, "0x") || strings.Contains(name, "$$") {
		name = hidden.ReplaceAllString(lambdas.ReplaceAllString(name, "$$$$Lambda"), "")
	}
	if strings.ContainsAny(name, "$A") {
		name = generated.ReplaceAllString(name, "$1")
	}
	if strings.ContainsAny(name, ".:") {
		name = clones.ReplaceAllString(name, "")
	}
	return name
}

// normalThread returns the name of a thread with * for each number: threads of a pool are one.
func normalThread(name string) string { return numbers.ReplaceAllString(cut(name), "*") }

// eachLine reads lines, numbered from 1.
func eachLine(r io.Reader, do func(number int, line []byte) error) error {
	s := bufio.NewScanner(r)
	s.Buffer(make([]byte, 0, 64<<10), maxLine)
	n := 0
	for s.Scan() {
		n++
		if err := do(n, s.Bytes()); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
	if errors.Is(s.Err(), bufio.ErrTooLong) {
		return fmt.Errorf("line %d: it has more than %d MB", n+1, maxLine>>20)
	}
	return s.Err()
}

// decode reads JSON.
func decode(r io.Reader, into any) error {
	text, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	err = json.Unmarshal(text, into)
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	at := int64(-1)
	switch {
	case errors.As(err, &syntax):
		at = syntax.Offset
	case errors.As(err, &kind):
		at = kind.Offset
	}
	if at >= 0 && at <= int64(len(text)) {
		return fmt.Errorf("line %d, byte %d: %w", 1+bytes.Count(text[:at], []byte("\n")), at, err)
	}
	return err
}
