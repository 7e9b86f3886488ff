package verify

// The shapes of the bodies. They are exact: names by letter case, no member more,
// none less or twice, whole numbers.

import (
	"fmt"

	"github.com/go-json-experiment/json"

	"github.com/tracetax/tracetax/internal/excerpt"
)

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
		return fmt.Errorf("the body %s: %s", excerpt.Quoted(body), excerpt.Line(err.Error()))
	}
	if greeting.Message == nil || *greeting.Message != "Hello, World!" {
		return fmt.Errorf(`the body is %s, not {"message":"Hello, World!"}`, excerpt.Quoted(body))
	}
	return nil
}

// row is a world with all that belongs to it.
type row struct{ id, number int }

func parseWorld(body []byte) (row, error) {
	var w world
	if err := json.Unmarshal(body, &w, json.RejectUnknownMembers(true)); err != nil {
		return row{}, fmt.Errorf("the body %s: %s", excerpt.Quoted(body), excerpt.Line(err.Error()))
	}
	if err := w.check(); err != nil {
		return row{}, fmt.Errorf("the body %s: %w", excerpt.Quoted(body), err)
	}
	return row{*w.ID, *w.RandomNumber}, nil
}

// parseWorlds returns the rows in the order of the body.
func parseWorlds(body []byte) ([]row, error) {
	var worlds []world
	if err := json.Unmarshal(body, &worlds, json.RejectUnknownMembers(true)); err != nil {
		return nil, fmt.Errorf("the body %s: %s", excerpt.Quoted(body), excerpt.Line(err.Error()))
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
