// Package verify owns what the tiers/* workloads answer: the same bytes in every language. It asks three tiers in a row
// before anybody measures them. It must not know of tracing, and measures nothing.
package verify

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"strings"

	"github.com/tracetax/tracetax/internal/quote"
	"github.com/tracetax/tracetax/workloads/rules"
)

const largeAnswer = 4_000_000 // bytes of /large

// Tiers checks what three tiers in a row answer, and writes a line for each rule to out. The error is a
// rules.BrokenError where one does not hold.
func Tiers(ctx context.Context, out io.Writer, url string) error {
	s := site{rules.At(url)}
	factorial := new(big.Int).MulRange(1, 100).String()
	return s.Check(ctx, out, []rules.Rule{
		{Name: "/small answers with one byte", Check: s.answers("/small", http.StatusOK, "x")},
		{Name: "/large answers with 4,000,000 bytes", Check: s.answers("/large", http.StatusOK, strings.Repeat("x", largeAnswer))},
		{Name: "/factorial answers with 100!", Check: s.answers("/factorial", http.StatusOK, factorial)},
		{Name: "/pi answers with 20 digits of pi", Check: s.answers("/pi", http.StatusOK, "31415926535897932384")},
		{Name: "/matrix answers with the sum over the product", Check: s.answers("/matrix", http.StatusOK, product(40).String())},
		{Name: "/fails answers as /factorial where it does not fail", Check: s.answers("/fails?p=0", http.StatusOK, factorial)},
		{Name: "/fails passes the status of a failure on", Check: s.answers("/fails?p=1", http.StatusInternalServerError, "failed")},
	})
}

// product is the sum over A × A, where A counts from 0 row by row: that of each column times that of the row it meets.
func product(size int64) *big.Int {
	sum := new(big.Int)
	for k := range size {
		row := size*size*k + size*(size-1)/2
		column := size*size*(size-1)/2 + size*k
		sum.Add(sum, big.NewInt(row*column))
	}
	return sum
}

// site is the first tier.
type site struct{ *rules.Service }

// answers checks one answer, its status and its bytes.
func (s site) answers(path string, status int, want string) func(context.Context) error {
	return func(ctx context.Context) error {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+path, nil)
		if err != nil {
			return fmt.Errorf("asking for %s: %w", path, err)
		}
		response, err := s.Client.Do(request)
		if err != nil {
			return err // it names the method and the URL
		}
		defer response.Body.Close()
		body, err := io.ReadAll(io.LimitReader(response.Body, largeAnswer+1))
		switch {
		case err != nil:
			return fmt.Errorf("reading the answer to %s: %w", path, err)
		case response.StatusCode != status:
			return fmt.Errorf("%s answers with status %d, not %d: %s", path, response.StatusCode, status, quote.Quoted(body))
		case !bytes.Equal(body, []byte(want)):
			return fmt.Errorf("%s answers with %s (%d bytes), not with %s (%d bytes)", path, quote.Quoted(body), len(body), quote.Quoted([]byte(want)), len(want))
		}
		return nil
	}
}
