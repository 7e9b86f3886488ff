package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAppendAndReopen(t *testing.T) {
	dir := t.TempDir()
	f, err := Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	for block := 1; block <= 3; block++ {
		if err := f.Append(Record{Schema: Schema, Kind: Measured, Block: block, Variant: "none"}); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := Open(dir); !errors.Is(err, ErrInUse) {
		t.Errorf("opening a folder that is open: %v, want ErrInUse", err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Create(dir); err == nil || !strings.Contains(err.Error(), "--resume") {
		t.Errorf("Create over results: %v, want advice to --resume", err)
	}
	f, records, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if len(records) != 3 || records[2].Block != 3 {
		t.Errorf("read back %+v", records)
	}
}

// Whoever takes the last line's end away takes no record away: neither reading nor going
// on loses it.
func TestLastLineWithoutEnd(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, RunsFile)
	text := `{"schema":2,"block":1}` + "\n" + `{"schema":2,"block":2}`
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	f, records, err := Hold(dir)
	if err != nil || len(records) != 2 {
		t.Fatalf("%d records, %v", len(records), err)
	}
	if _, _, err := Hold(dir); err == nil {
		t.Error("held twice")
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if kept, err := os.ReadFile(path); err != nil || string(kept) != text {
		t.Errorf("holding changed the records: %q, %v", kept, err)
	}
	f, _, err = Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f.Append(Record{Schema: Schema, Block: 3}), f.Close()); err != nil {
		t.Fatal(err)
	}
	if records, err := Read(dir); err != nil || len(records) != 3 || records[1].Block != 2 || records[2].Block != 3 {
		t.Errorf("%+v, %v", records, err)
	}
}

// A kill in the middle of a write leaves a part of a line: it is cut off, and
// the next record follows the last whole one.
func TestUnfinishedLineIsCut(t *testing.T) {
	dir := t.TempDir()
	whole := `{"schema":2,"block":1}` + "\n"
	path := filepath.Join(dir, RunsFile)
	if err := os.WriteFile(path, []byte(whole+`{"schema":2,"blo`), 0o644); err != nil {
		t.Fatal(err)
	}
	f, records, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if cut := f.CutOff(); cut != int64(len(`{"schema":2,"blo`)) {
		t.Errorf("%d bytes are said to be cut off", cut)
	}
	if err := f.Append(Record{Schema: Schema, Block: 2}); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if len(records) != 1 {
		t.Errorf("%d records before, want 1", len(records))
	}
	records, err = Read(dir)
	if err != nil || len(records) != 2 || records[1].Block != 2 {
		t.Errorf("after: %+v, %v", records, err)
	}
}

func TestBrokenRecords(t *testing.T) {
	for name, test := range map[string]struct{ content, want string }{
		"not JSON":     {"{\"schema\":2}\nrubbish\n", RunsFile + ":2: not a record"},
		"newer schema": {fmt.Sprintf("{\"schema\":%d}\n", Schema+1), RunsFile + ":1: a record of schema"},
		"older schema": {fmt.Sprintf("{\"schema\":%d}\n", Schema-1), RunsFile + ":1: a record of schema"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, RunsFile), []byte(test.content), 0o644); err != nil {
				t.Fatal(err)
			}
			if _, err := Read(dir); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("Read: %v, want %q", err, test.want)
			}
			if _, _, err := Open(dir); err == nil {
				t.Error("Open: no error")
			}
			if kept, err := os.ReadFile(filepath.Join(dir, RunsFile)); err != nil || string(kept) != test.content {
				t.Errorf("the file was changed to %q (%v)", kept, err)
			}
		})
	}
}

func TestWriteIsWholeOrNothing(t *testing.T) {
	f, err := Create(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	text := func(s string) func(io.Writer) error {
		return func(w io.Writer) error { _, err := io.WriteString(w, s); return err }
	}
	if err := f.Write(FindingsFile, text("first")); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	err = f.Write(FindingsFile, func(w io.Writer) error { _, _ = io.WriteString(w, "half"); return broken })
	if !errors.Is(err, broken) {
		t.Errorf("Write: %v, want the error of the content", err)
	}
	if kept, err := os.ReadFile(f.Path(FindingsFile)); err != nil || string(kept) != "first" {
		t.Errorf("after a broken write the file holds %q (%v)", kept, err)
	}
	left, err := filepath.Glob(f.Path(".*"))
	if err != nil || len(left) != 0 {
		t.Errorf("left behind: %v (%v)", left, err)
	}
}

// FuzzRead: whatever stands in the file, reading ends in records or an error,
// and reading the whole part again gives the same.
func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"schema":2,"block":1}` + "\n" + `{"sch`))
	f.Add([]byte("\n\n"))
	f.Fuzz(func(t *testing.T, content []byte) {
		records, whole, err := read(strings.NewReader(string(content)), "f")
		if err != nil {
			return
		}
		again, same, err := read(strings.NewReader(string(content[:whole])), "f")
		if err != nil || same != whole || len(again) != len(records) {
			t.Errorf("again: %d records, %d bytes, %v; first %d, %d", len(again), same, err, len(records), whole)
		}
	})
}

func TestFolders(t *testing.T) {
	top := t.TempDir()
	if _, err := Folders(top); err == nil {
		t.Error("an empty folder is taken for results")
	}
	for _, name := range []string{"a", "b"} {
		if err := os.Mkdir(filepath.Join(top, name), 0o755); err != nil {
			t.Fatal(err)
		}
		for _, file := range []string{ExperimentFile, RunsFile} {
			if err := os.WriteFile(filepath.Join(top, name, file), nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	for dir, want := range map[string]int{top: 2, filepath.Join(top, "a"): 1} {
		if got, err := Folders(dir); err != nil || len(got) != want {
			t.Errorf("%s: %v, %v; want %d", dir, got, err, want)
		}
	}
}

// Records of an earlier tracetax name the outcomes of a search in words.
func TestOutcomesOfEarlierRecords(t *testing.T) {
	for text, want := range map[string]Outcome{"saturated before the target": Saturated, "saturated": Saturated, "found": Found, "above-most": AboveMax, "above-max": AboveMax, "no spans to lose": NoSpans} {
		var c Search
		if err := json.Unmarshal([]byte(`{"outcome": "`+text+`"}`), &c); err != nil || c.Outcome != want {
			t.Errorf("%s: %q, %v", text, c.Outcome, err)
		}
	}
}

func TestMinus(t *testing.T) {
	before := Counts{Spans: 10, Duplicate: 1, Orphans: 3, Services: map[string]uint64{"a": 10}}
	after := Counts{Spans: 25, Duplicate: 3, Orphans: 2, Services: map[string]uint64{"a": 10, "b": 15}, Checking: true}
	want := Counts{Spans: 15, Duplicate: 2, Orphans: 2, Services: map[string]uint64{"b": 15}, Checking: true}
	if diff := cmp.Diff(want, after.Minus(before)); diff != "" {
		t.Error(diff)
	}
	if got := after.Minus(before).Unique(); got != 13 {
		t.Errorf("Unique = %d, want 13", got)
	}
	if after.Services["a"] != 10 {
		t.Error("Minus changed its operand")
	}
}

func TestHistogramRoundTrip(t *testing.T) {
	h := NewHistogram()
	for v := int64(1000); v < 1_000_000; v += 777 {
		if err := h.RecordValue(v); err != nil {
			t.Fatal(err)
		}
	}
	encoded, err := EncodeHistogram(h)
	if err != nil {
		t.Fatal(err)
	}
	back, err := encoded.Decode()
	if err != nil {
		t.Fatal(err)
	}
	if back.TotalCount() != h.TotalCount() || back.ValueAtQuantile(99) != h.ValueAtQuantile(99) {
		t.Errorf("came back as %d values, p99 %d; was %d, %d", back.TotalCount(), back.ValueAtQuantile(99), h.TotalCount(), h.ValueAtQuantile(99))
	}
	if _, err := Histogram("rubbish").Decode(); err == nil {
		t.Error("rubbish was decoded")
	}
}

// Every count takes part in differences and sums: a field that is forgotten there would
// be lost from every phase of a run.
func TestEveryCountTakesPart(t *testing.T) {
	states := map[string]bool{"Orphans": true}
	fields := reflect.TypeFor[Counts]()
	for i := range fields.NumField() {
		f := fields.Field(i)
		if f.Type.Kind() != reflect.Uint64 || states[f.Name] {
			continue
		}
		var before, after Counts
		reflect.ValueOf(&before).Elem().Field(i).SetUint(2)
		reflect.ValueOf(&after).Elem().Field(i).SetUint(7)
		if got := reflect.ValueOf(after.Minus(before)).Field(i).Uint(); got != 5 {
			t.Errorf("%s: 7 − 2 is %d", f.Name, got)
		}
		if got := reflect.ValueOf(after.Plus(before)).Field(i).Uint(); got != 9 {
			t.Errorf("%s: 7 + 2 is %d", f.Name, got)
		}
	}
}

// What came between two moments adds up with what came before, also where a trace had begun
// before.
func TestShapesOverTime(t *testing.T) {
	before := Counts{Absent: 3, Shapes: Shapes{"a": {2: 5, 3: 10}, NoRoot: {1: 1}}}
	after := Counts{Absent: 1, Shapes: Shapes{"a": {2: 4, 3: 12}, "b": {1: 7}}}
	between := after.Minus(before)
	want := Counts{Absent: -2, Shapes: Shapes{"a": {2: -1, 3: 2}, "b": {1: 7}, NoRoot: {1: -1}}}
	if diff := cmp.Diff(want, between); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(after, before.Plus(between)); diff != "" {
		t.Error(diff)
	}
	if traces, spans := between.Shapes.Traces("a"); traces != 1 || spans != 4 {
		t.Errorf("%d traces with %d spans, want 1 with 4", traces, spans)
	}
}
