// Package rules owns how a web service is asked and held against rules before anybody measures it, each rule with a line of
// its own. The rules stand beside the workloads that they are about. It must not know of tracing, and measures nothing.
package rules

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// Rule is something that holds for every right answer. Its check returns Skipped where it cannot be made here.
type Rule struct {
	Name  string
	Check func(context.Context) error
}

// Skipped says why a rule was not checked.
type Skipped struct{ Reason string }

func (s Skipped) Error() string { return s.Reason }

// BrokenError names the rules that do not hold.
type BrokenError struct {
	Rules []string
	Of    int // rules in all
}

func (e *BrokenError) Error() string {
	return fmt.Sprintf("%d of %d rules are broken: %s", len(e.Rules), e.Of, strings.Join(e.Rules, "; "))
}

// answerPatience bounds one answer.
const answerPatience = 30 * time.Second

// Service is what is asked, as any client would.
type Service struct {
	URL    string // without a path: http://127.0.0.1:8080
	Client *http.Client
}

// At is the service at an address.
func At(url string) *Service {
	return &Service{strings.TrimSuffix(url, "/"), &http.Client{
		Timeout:   answerPatience,
		Transport: &http.Transport{DisableCompression: true}, // also: no proxy of the environment
	}}
}

// Check checks every rule, since one wrong answer must not hide the next, and writes a line for each to out. The error is a
// BrokenError where one does not hold. It gives the connections back.
func (s *Service) Check(ctx context.Context, out io.Writer, rules []Rule) error {
	defer s.Client.CloseIdleConnections()
	broken := &BrokenError{Of: len(rules)}
	for _, r := range rules {
		err := r.Check(ctx)
		if ctx.Err() != nil {
			return fmt.Errorf("checking %s: %w", r.Name, context.Cause(ctx))
		}
		var skip Skipped
		line := "kept     " + r.Name
		switch {
		case errors.As(err, &skip):
			line = "skipped  " + r.Name + ": " + skip.Reason
		case err != nil:
			line = "broken   " + r.Name + ": " + err.Error()
			broken.Rules = append(broken.Rules, r.Name)
		}
		if _, err := fmt.Fprintln(out, line); err != nil {
			return fmt.Errorf("writing what was found: %w", err)
		}
	}
	if len(broken.Rules) > 0 {
		return broken
	}
	return nil
}
