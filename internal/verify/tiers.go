package verify

// The answers of the tiers/* workloads: the same bytes in every language.

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"strings"

	"github.com/tracetax/tracetax/internal/excerpt"
)

const largeAnswer = 4_000_000 // bytes of /large

// Tiers checks what three tiers in a row answer, and writes a line for each rule to out. The error is a
// BrokenError where one does not hold.
func Tiers(ctx context.Context, out io.Writer, url string) error {
	s := newSite(url)
	factorial := new(big.Int).MulRange(1, 100).String()
	return s.closing(checkAll(ctx, out, []rule{
		{"/small answers with one byte", s.answers("/small", http.StatusOK, "x")},
		{"/large answers with 4,000,000 bytes", s.answers("/large", http.StatusOK, strings.Repeat("x", largeAnswer))},
		{"/factorial answers with 100!", s.answers("/factorial", http.StatusOK, factorial)},
		{"/pi answers with 20 digits of pi", s.answers("/pi", http.StatusOK, "31415926535897932384")},
		{"/matrix answers with the sum over the product", s.answers("/matrix", http.StatusOK, product(40).String())},
		{"/fails answers as /factorial where it does not fail", s.answers("/fails?p=0", http.StatusOK, factorial)},
		{"/fails passes the status of a failure on", s.answers("/fails?p=1", http.StatusInternalServerError, "failed")},
	}))
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

// answers checks one answer, its status and its bytes.
func (s *site) answers(path string, status int, want string) func(context.Context) error {
	return func(ctx context.Context) error {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+path, nil)
		if err != nil {
			return fmt.Errorf("asking for %s: %w", path, err)
		}
		response, err := s.client.Do(request)
		if err != nil {
			return err // it names the method and the URL
		}
		defer response.Body.Close()
		body, err := io.ReadAll(io.LimitReader(response.Body, largeAnswer+1))
		switch {
		case err != nil:
			return fmt.Errorf("reading the answer to %s: %w", path, err)
		case response.StatusCode != status:
			return fmt.Errorf("%s answers with status %d, not %d: %s", path, response.StatusCode, status, excerpt.Quoted(body))
		case !bytes.Equal(body, []byte(want)):
			return fmt.Errorf("%s answers with %s (%d bytes), not with %s (%d bytes)", path, excerpt.Quoted(body), len(body), excerpt.Quoted([]byte(want)), len(want))
		}
		return nil
	}
}
