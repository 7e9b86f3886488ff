package record

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// The files of a results folder.
const (
	RunsFile        = "runs.jsonl"
	ExperimentFile  = "experiment.yaml"
	EnvironmentFile = "environment.json"
	FindingsFile    = "findings.json"
	ReportFile      = "report.html"
	BenchfmtFile    = "benchfmt.txt"
	LogsFolder      = "logs"
	HopsFolder      = "hops"    // configurations of Collectors, as they were given and as the runs have them
	TracesFolder    = "traces"  // the spans that the sink received, VARIANT-BLOCK.jsonl, where the experiment asks for them
	SamplesFolder   = "samples" // every single duration, where the experiment asks for them
)

// ErrInUse is returned when another tracetax writes to the results folder.
var ErrInUse = errors.New("another tracetax is writing to it")

// Folder is a results folder that is open for writing. Only one process at a
// time can have it open.
type Folder struct {
	dir  string
	runs *os.File
	size int64 // length of runs.jsonl up to its last whole record

	cutOff int64
}

// Create makes a new results folder. It refuses one that holds runs already.
func Create(dir string) (*Folder, error) {
	if err := os.MkdirAll(filepath.Join(dir, LogsFolder), 0o755); err != nil {
		return nil, fmt.Errorf("making the results folder: %w (choose another with --out)", err)
	}
	if info, err := os.Stat(filepath.Join(dir, RunsFile)); err == nil && info.Size() > 0 {
		return nil, fmt.Errorf("results folder %s holds runs already: go on with --resume %s, or choose another with --out", dir, dir)
	}
	return open(dir, os.O_RDWR|os.O_CREATE)
}

// Open opens an existing results folder to go on with it, and returns the
// records in it. What an interrupted write left after the last whole record is
// cut off; a whole record that lacks the end of its line gets it.
func Open(dir string) (*Folder, []Record, error) {
	f, err := open(dir, os.O_RDWR)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("%s is not a results folder: it has no %s", dir, RunsFile)
	}
	if err != nil {
		return nil, nil, err
	}
	records, whole, err := read(f.runs, filepath.Join(dir, RunsFile))
	if err == nil {
		f.cutOff, err = f.behind(whole)
	}
	if err == nil {
		err = f.cut(whole)
	}
	if err == nil {
		err = f.endLine()
	}
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return f, records, nil
}

// Hold opens an existing results folder for itself alone, to write what is made of its
// records, and returns these. The records stay as they are.
func Hold(dir string) (*Folder, []Record, error) {
	f, err := open(dir, os.O_RDONLY)
	if err != nil {
		return nil, nil, err
	}
	records, whole, err := read(f.runs, filepath.Join(dir, RunsFile))
	if err == nil {
		f.cutOff, err = f.behind(whole)
	}
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return f, records, nil
}

// CutOff is how many bytes of a last line were left out when the folder was opened, because
// its end is missing: of a run whose record was being written when tracetax or the machine was
// stopped.
func (f *Folder) CutOff() (bytes int64) { return f.cutOff }

// behind is the number of bytes of runs.jsonl after its whole lines.
func (f *Folder) behind(whole int64) (int64, error) {
	info, err := f.runs.Stat()
	if err != nil {
		return 0, fmt.Errorf("reading the length of %s: %w", RunsFile, err)
	}
	return max(0, info.Size()-whole), nil
}

// Read returns the records of a results folder without opening it for writing.
func Read(dir string) ([]Record, error) {
	path := filepath.Join(dir, RunsFile)
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("reading the results folder: %w", err)
	}
	defer file.Close()
	records, _, err := read(file, path)
	return records, err
}

func open(dir string, flag int) (*Folder, error) {
	file, err := os.OpenFile(filepath.Join(dir, RunsFile), flag, 0o644)
	if err != nil {
		return nil, fmt.Errorf("opening the results folder: %w", err)
	}
	if err := lock(file); err != nil {
		return nil, errors.Join(fmt.Errorf("opening the results folder %s: %w", dir, err), file.Close())
	}
	return &Folder{dir: dir, runs: file}, nil
}

// Path returns the path of a file in the folder.
func (f *Folder) Path(name ...string) string {
	return filepath.Join(append([]string{f.dir}, name...)...)
}

// Append adds a record and syncs it to the disk. When it fails (a full disk, for
// one), what was written of the record is taken back, so runs.jsonl stays
// whole.
func (f *Folder) Append(r Record) error {
	line, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("encoding the record of block %d, %s: %w", r.Block, r.Variant, err)
	}
	line = append(line, '\n')
	_, err = f.runs.WriteAt(line, f.size)
	if err == nil {
		err = f.runs.Sync()
	}
	if err != nil {
		err = fmt.Errorf("writing the record of block %d, %s: %w (the records before it are kept; make room, then go on with --resume %s)",
			r.Block, r.Variant, err, f.dir)
		return errors.Join(err, f.cut(f.size))
	}
	f.size += int64(len(line))
	return nil
}

func (f *Folder) cut(size int64) error {
	if err := f.runs.Truncate(size); err != nil {
		return fmt.Errorf("cutting %s after its last whole record: %w", RunsFile, err)
	}
	f.size = size
	return nil
}

// endLine ends the last line, so the next record has one of its own.
func (f *Folder) endLine() error {
	last := make([]byte, 1)
	if f.size == 0 {
		return nil
	}
	if _, err := f.runs.ReadAt(last, f.size-1); err != nil {
		return fmt.Errorf("reading the end of %s: %w", RunsFile, err)
	}
	if last[0] == '\n' {
		return nil
	}
	if _, err := f.runs.WriteAt([]byte{'\n'}, f.size); err != nil {
		return fmt.Errorf("ending the last line of %s: %w", RunsFile, err)
	}
	f.size++
	return nil
}

// Write makes or replaces a file of the folder, as a whole or not at all.
func (f *Folder) Write(name string, content func(io.Writer) error) error {
	path := f.Path(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("making the folder of %s: %w", name, err)
	}
	temporary, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(name)+".*")
	if err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	defer os.Remove(temporary.Name()) // gone already when all went well
	buffered := bufio.NewWriter(temporary)
	err = content(buffered)
	if err == nil {
		err = buffered.Flush()
	}
	if err == nil {
		err = temporary.Chmod(0o644)
	}
	if err == nil {
		err = temporary.Sync()
	}
	if err = errors.Join(err, temporary.Close()); err == nil {
		err = os.Rename(temporary.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	return nil
}

// Close releases the folder.
func (f *Folder) Close() error {
	if err := f.runs.Close(); err != nil {
		return fmt.Errorf("closing the results folder: %w", err)
	}
	return nil
}

// read returns the records of r and the length of the part that holds them. An
// unfinished last line is left out, unless only its end is missing; a broken line before
// it is an error.
func read(r io.Reader, path string) (records []Record, whole int64, err error) {
	lines := bufio.NewReader(r)
	for number := 1; ; number++ {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) && !json.Valid(line) {
			return records, whole, nil
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, 0, fmt.Errorf("reading %s: %w", path, err)
		}
		var one Record
		decoder := json.NewDecoder(bytes.NewReader(line))
		if err := decoder.Decode(&one); err != nil {
			return nil, 0, fmt.Errorf("%s:%d: not a record: %w", path, number, err)
		}
		if one.Schema != Schema {
			return nil, 0, fmt.Errorf("%s:%d: a record of schema %d; this tracetax reads %d: use the version that made it, or measure again", path, number, one.Schema, Schema)
		}
		records = append(records, one)
		whole += int64(len(line))
	}
}

// Folders returns the results folders at dir: dir itself, or those in it where
// an experiment ran over several workloads.
func Folders(dir string) ([]string, error) {
	if _, err := os.Stat(filepath.Join(dir, ExperimentFile)); err == nil {
		return []string{dir}, nil
	}
	inside, err := filepath.Glob(filepath.Join(dir, "*", ExperimentFile))
	if err != nil {
		return nil, fmt.Errorf("looking for results in %s: %w", dir, err)
	}
	if len(inside) == 0 {
		return nil, fmt.Errorf("%s is not a results folder: neither it nor a folder in it holds %s", dir, ExperimentFile)
	}
	for i, path := range inside {
		inside[i] = filepath.Dir(path)
	}
	return inside, nil
}
