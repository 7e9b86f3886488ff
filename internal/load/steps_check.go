// What is wrong with the requests of an operation of several, before any is made.

package load

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
)

// checkSteps says what is wrong with the requests that follow r, and with what they take.
func (r Request) checkSteps() error {
	if len(r.Then) == 0 {
		return r.checkSingle()
	}
	var known []string
	for i, step := range append([]Request{r}, r.Then...) {
		if err := step.checkStep(r, i, known); err != nil {
			return fmt.Errorf("step %d: %w", i+1, err)
		}
		for _, t := range step.Takes {
			known = append(known, t.Name)
		}
	}
	return nil
}

// takeWord is {take.NAME} or {take.NAME:raw}, as split finds it.
var takeWord = regexp.MustCompile(`\{take\.[^{}\r\n]*\}`)

// checkSingle is checkSteps for a request that none goes before or follows: there is nothing to take values from, and it
// would go out with the word in it.
func (r Request) checkSingle() error {
	texts := []string{r.Path, string(r.Body)}
	for _, h := range r.Headers {
		texts = append(texts, h.Value)
	}
	for _, text := range texts {
		if word := takeWord.FindString(text); word != "" {
			return fmt.Errorf("nothing before it takes %.60s: only a step that follows another one can use what that took", word)
		}
	}
	return nil
}

// checkStep is checkSteps for the i-th of the requests that begin with first; known are the values taken before it.
func (r Request) checkStep(first Request, i int, known []string) error {
	switch {
	case r.GRPC:
		return errors.New("a gRPC call cannot be one of several steps")
	case r.Data != "":
		return errors.New("steps take no rows of request data")
	case r.target() != first.target():
		return fmt.Errorf("it goes to %s and the first one to %s: all steps of an operation ask the same server", r.Address, first.Address)
	}
	if i > 0 {
		if len(r.Then) > 0 {
			return errors.New("a step has no steps of its own")
		}
		if err := r.check(); err != nil {
			return err
		}
	}
	filled, err := newGappy(r.asRow(), nil)
	if err != nil {
		return err
	}
	for _, p := range slices.Concat(filled.head, filled.body) {
		if p.gap != nil && !slices.Contains(known, p.gap.column) {
			return fmt.Errorf("nothing before it takes {take.%s}", p.gap.column)
		}
	}
	_, err = newTakers(r.Takes)
	return err
}
