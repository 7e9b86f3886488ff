package hop

import (
	"context"
	"fmt"

	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/sink/kieker"
)

// formats count the spans in the files of a folder, by spec.FileFormats.
var formats = map[string]func(dir string) (record.Counts, error){
	"kieker": kieker.CountFolder,
}

// Files is what a tracer left in files of a folder.
type Files struct{ Format, Folder string }

// Name implements Counter.
func (Files) Name() string { return byFiles }

// Read implements Counter.
func (f Files) Read(context.Context) (record.Hop, error) {
	counts, err := f.Count()
	if err != nil {
		return record.Hop{}, err
	}
	return record.Hop{Name: byFiles, Source: byFiles, Received: &counts.Spans}, nil
}

// Count counts the spans in them as a sink does.
func (f Files) Count() (record.Counts, error) {
	count, known := formats[f.Format]
	if !known {
		return record.Counts{}, fmt.Errorf("counting the spans that the tracer wrote to files: nobody knows the format %q", f.Format)
	}
	counts, err := count(f.Folder)
	if err != nil {
		return record.Counts{}, fmt.Errorf("counting the spans that the tracer wrote to files: %w", err)
	}
	return counts, nil
}
