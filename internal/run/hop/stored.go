package hop

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/record"
)

// Stored is how many spans a backend has in store, by its own word: those that it took in, less those that it threw away.
// false where it does not say.
func Stored(said record.Hop) (spans uint64, known bool) {
	if said.Received == nil {
		return 0, false
	}
	spans = *said.Received
	if said.Dropped != nil {
		spans -= min(spans, *said.Dropped)
	}
	return spans, true
}

// Bounds of a backend's answer.
const (
	answerPatience = time.Minute
	answerLimit    = 4 << 30 // bytes; they are not kept
)

// Answered counts the spans that a backend answers with, asked at a URL.
func Answered(ctx context.Context, url string, as config.Answers) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, answerPatience)
	defer cancel()
	fail := func(err error) (uint64, error) {
		return 0, fmt.Errorf("its answer to the question for all spans cannot be read: %w", plain(err))
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return fail(err)
	}
	answer, err := client.Do(request)
	if err != nil {
		return fail(err)
	}
	defer answer.Body.Close()
	switch {
	case answer.StatusCode == as.None:
		return 0, nil
	case answer.StatusCode != http.StatusOK:
		return fail(fmt.Errorf("it is %s", answer.Status))
	}
	n, err := countJSON(json.NewDecoder(io.LimitReader(answer.Body, answerLimit)), as.Each)
	if err != nil {
		return fail(err)
	}
	return n, nil
}

// countJSON counts the values of the next value that a way leads to.
func countJSON(d *json.Decoder, way []string) (uint64, error) {
	if len(way) == 0 {
		var passed json.RawMessage
		return 1, d.Decode(&passed)
	}
	open, err := d.Token()
	if err != nil {
		return 0, ended(err)
	}
	if _, nested := open.(json.Delim); !nested {
		return 0, nil
	}
	var n uint64
	for d.More() {
		here := way[0] == "*"
		if open == json.Delim('{') {
			key, err := d.Token()
			if err != nil {
				return n, ended(err)
			}
			here = here || key == way[0]
		}
		if !here {
			var passed json.RawMessage
			if err := d.Decode(&passed); err != nil {
				return n, ended(err)
			}
			continue
		}
		more, err := countJSON(d, way[1:])
		if n += more; err != nil {
			return n, ended(err)
		}
	}
	_, err = d.Token()
	return n, ended(err)
}

// ended tells an answer that is cut off from one that has ended.
func ended(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
