// What holds for every answer of the service: its status, its headers and the shape of its body.

package verify

import (
	"context"
	"fmt"
	"io"
	"mime"
	"net/http"

	"github.com/go-json-experiment/json"
	"github.com/tracetax/tracetax/internal/quote"
	"github.com/tracetax/tracetax/workloads/rules"
)

const mostBody = 1 << 20 // bytes

// site is the service.
type site struct{ *rules.Service }

// get returns the body of a right answer: its status, headers and size are checked.
func (s site) get(ctx context.Context, path string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+path, nil)
	if err != nil {
		return nil, fmt.Errorf("asking for %s: %w", path, err)
	}
	request.Header.Set("Accept", "application/json")
	response, err := s.Client.Do(request)
	if err != nil {
		return nil, err // it names the method and the URL
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, mostBody+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("reading the answer to %s: %w", path, err)
	case response.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("%s answers with status %d, not 200: %s", path, response.StatusCode, quote.Quoted(body))
	case len(body) > mostBody:
		return nil, fmt.Errorf("%s answers with more than %d bytes", path, mostBody)
	}
	if err := checkHeaders(response); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return body, nil
}

// checkHeaders checks those that TechEmpower asks for.
func checkHeaders(response *http.Response) error {
	if response.Header.Get("Server") == "" {
		return fmt.Errorf("the header Server is missing")
	}
	if _, err := http.ParseTime(response.Header.Get("Date")); err != nil {
		return fmt.Errorf("the header Date is %s, not a date", quote.Quoted(response.Header.Get("Date")))
	}
	// A length of -1 without chunks is an answer that ends with the connection.
	if response.ContentLength < 0 && len(response.TransferEncoding) == 0 {
		return fmt.Errorf("the headers Content-Length and Transfer-Encoding are both missing")
	}
	kind := response.Header.Get("Content-Type")
	if media, _, err := mime.ParseMediaType(kind); err != nil || media != "application/json" {
		return fmt.Errorf("the header Content-Type is %s, not application/json", quote.Quoted(kind))
	}
	return nil
}

// The shapes of the bodies. They are exact: names by letter case, no member more,
// none less or twice, whole numbers.

// Rows is how many rows the table has, and the largest number in it.
const Rows = 10_000

// world is one of the table's rows as it stands in a body.
type world struct {
	ID           *int `json:"id"`
	RandomNumber *int `json:"randomNumber"`
}

func parseGreeting(body []byte) error {
	var greeting struct {
		Message *string `json:"message"`
	}
	if err := json.Unmarshal(body, &greeting, json.RejectUnknownMembers(true)); err != nil {
		return fmt.Errorf("the body %s: %s", quote.Quoted(body), quote.Line(err.Error()))
	}
	if greeting.Message == nil || *greeting.Message != "Hello, World!" {
		return fmt.Errorf(`the body is %s, not {"message":"Hello, World!"}`, quote.Quoted(body))
	}
	return nil
}

// row is a world with all that belongs to it.
type row struct{ id, number int }

func parseWorld(body []byte) (row, error) {
	var w world
	if err := json.Unmarshal(body, &w, json.RejectUnknownMembers(true)); err != nil {
		return row{}, fmt.Errorf("the body %s: %s", quote.Quoted(body), quote.Line(err.Error()))
	}
	if err := w.check(); err != nil {
		return row{}, fmt.Errorf("the body %s: %w", quote.Quoted(body), err)
	}
	return row{*w.ID, *w.RandomNumber}, nil
}

// parseWorlds returns the rows in the order of the body.
func parseWorlds(body []byte) ([]row, error) {
	var worlds []world
	if err := json.Unmarshal(body, &worlds, json.RejectUnknownMembers(true)); err != nil {
		return nil, fmt.Errorf("the body %s: %s", quote.Quoted(body), quote.Line(err.Error()))
	}
	rows := make([]row, 0, len(worlds))
	for i, w := range worlds {
		if err := w.check(); err != nil {
			return nil, fmt.Errorf("row %d of the body: %w", i+1, err)
		}
		rows = append(rows, row{*w.ID, *w.RandomNumber})
	}
	return rows, nil
}

func (w world) check() error {
	switch {
	case w.ID == nil:
		return fmt.Errorf("id is missing")
	case w.RandomNumber == nil:
		return fmt.Errorf("randomNumber is missing")
	case *w.ID < 1 || *w.ID > Rows:
		return fmt.Errorf("id is %d, not 1 to %d", *w.ID, Rows)
	case *w.RandomNumber < 1 || *w.RandomNumber > Rows:
		return fmt.Errorf("randomNumber is %d, not 1 to %d", *w.RandomNumber, Rows)
	}
	return nil
}
