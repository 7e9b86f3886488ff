package verify

// Asking the service, and what holds for every answer of it.

import (
	"context"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/tracetax/tracetax/internal/excerpt"
)

// Bounds of one answer.
const (
	answerPatience = 30 * time.Second
	mostBody       = 1 << 20
)

// site is the service.
type site struct {
	url    string
	client *http.Client
}

func newSite(url string) *site {
	return &site{strings.TrimSuffix(url, "/"), &http.Client{
		Timeout:   answerPatience,
		Transport: &http.Transport{DisableCompression: true}, // also: no proxy of the environment
	}}
}

// closing gives the connections back, and passes err on.
func (s *site) closing(err error) error {
	s.client.CloseIdleConnections()
	return err
}

// get returns the body of a right answer: its status, headers and size are checked.
func (s *site) get(ctx context.Context, path string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+path, nil)
	if err != nil {
		return nil, fmt.Errorf("asking for %s: %w", path, err)
	}
	request.Header.Set("Accept", "application/json")
	response, err := s.client.Do(request)
	if err != nil {
		return nil, err // it names the method and the URL
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, mostBody+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("reading the answer to %s: %w", path, err)
	case response.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("%s answers with status %d, not 200: %s", path, response.StatusCode, excerpt.Quoted(body))
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
		return fmt.Errorf("the header Date is %s, not a date", excerpt.Quoted(response.Header.Get("Date")))
	}
	// A length of -1 without chunks is an answer that ends with the connection.
	if response.ContentLength < 0 && len(response.TransferEncoding) == 0 {
		return fmt.Errorf("the headers Content-Length and Transfer-Encoding are both missing")
	}
	kind := response.Header.Get("Content-Type")
	if media, _, err := mime.ParseMediaType(kind); err != nil || media != "application/json" {
		return fmt.Errorf("the header Content-Type is %s, not application/json", excerpt.Quoted(kind))
	}
	return nil
}
