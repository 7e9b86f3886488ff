package hop

import (
	"fmt"

	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/sink/kieker"
)

// formats count the spans in the files of a folder, by config.FileFormats.
var formats = map[string]func(dir string) (record.Counts, error){
	"kieker": kieker.CountFolder,
}

// CountFiles counts the spans that a tracer left in the files of a folder, as a sink does.
func CountFiles(format, folder string) (record.Counts, error) {
	count, known := formats[format]
	if !known {
		return record.Counts{}, fmt.Errorf("counting the spans that the tracer wrote to files: nobody knows the format %q", format)
	}
	counts, err := count(folder)
	if err != nil {
		return record.Counts{}, fmt.Errorf("counting the spans that the tracer wrote to files: %w", err)
	}
	return counts, nil
}
