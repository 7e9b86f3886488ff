package elastic

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	first = `{"metadata":{"service":{"name":"shop","agent":{"name":"x"}},"process":{"pid":1}}}`
	tx    = `{"transaction":{"id":"0000000000000001","trace_id":"0000000000000000000000000000000a","name":"GET /","type":"request","span_count":{"started":1,"dropped":2}}}`
	span  = `{"span":{"id":"2","trace_id":"0000000000000000000000000000000a","parent_id":"0000000000000001","name":"q","type":"db","composite":{"count":3,"sum":1.5,"compression_strategy":"exact_match"}}}`
)

func lines(all ...string) string { return strings.Join(all, "\n") + "\n" }

func compressed(t *testing.T, text string, to func(io.Writer) io.WriteCloser) []byte {
	t.Helper()
	var b bytes.Buffer
	w := to(&b)
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func zlibbed(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) }
func gzipped(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) }

func TestStreams(t *testing.T) {
	long := `{"span":{"id":"2","x":"` + strings.Repeat("x", 400<<10) + `"}}`
	tests := []struct {
		name, query, encoding string
		body                  []byte
		status                int
		answer                string // part of it
		counts                [8]uint64
	}{
		{"plain", "", "", []byte(lines(first, tx, span)), 202, "", counts(2, 2, 2)},
		{"without the last line's end", "", "", []byte(first + "\n" + tx + "\r\n\n" + span), 202, "", counts(2, 2, 2)},
		{"deflate", "", "deflate", compressed(t, lines(first, tx, span), zlibbed), 202, "", counts(2, 2, 2)},
		{"gzip", "", "gzip", compressed(t, lines(first, tx, span), gzipped), 202, "", counts(2, 2, 2)},
		{"verbose", "?verbose", "", []byte(lines(first, tx, `{"error":{"id":"1"}}`, `{"metricset":{"samples":{}}}`, `{"log":{"message":"m"}}`)), 202, `{"accepted":4}`, [8]uint64{1, 0, 2, 0, 0, 1, 1, 1}},
		{"some invalid", "", "", []byte(lines(first, `{"span":{"id":"3"}}`, tx, `{"spam":{}}`, `{"span"`, `{}`, `{"span":{"id":"4","trace_id":"5"}}`)), 400, `{"accepted":1,"errors":[{"message":"id and trace_id are required","document":"{\"span\":{\"id\":\"3\"}}"}`, [8]uint64{1, 0, 2, 5, 0, 0, 0, 1}},
		{"a line too long", "", "", []byte(lines(first, long, tx)), 400, "permitted size", [8]uint64{1, 0, 2, 1, 0, 0, 0, 1}},
		{"the last line too long", "", "", []byte(first + "\n" + tx + "\n" + long), 400, "permitted size", [8]uint64{1, 0, 2, 1, 0, 0, 0, 1}},
		{"counts out of range", "", "", []byte(lines(first, strings.Replace(tx, ":2}", ":-2}", 1), strings.Replace(span, ":3", ":1e30", 1))), 400, "whole number", [8]uint64{0, 0, 0, 2, 0, 0, 0, 1}},
		{"without metadata", "", "", []byte(lines(tx, span)), 400, "metadata", refused},
		{"metadata broken", "", "", []byte(lines(`{"metadata":`, span)), 400, "metadata", refused},
		{"metadata too long", "", "", []byte(lines(long, span)), 400, "metadata", refused},
		{"not deflate", "", "deflate", []byte(lines(first, tx)), 400, "", refused},
		{"deflate that breaks off", "", "deflate", compressed(t, lines(first, tx), zlibbed)[:90], 400, "", [8]uint64{0, 0, 0, 0, 1, 0, 0, 1}},
		{"too large", "", "", bytes.Repeat([]byte(lines(first)), 9<<20/len(lines(first))), 413, "", [8]uint64{0, 0, 0, 0, 1, 0, 0, 1}},
		{"other encoding", "", "br", nil, 415, "", refused},
		{"nothing", "", "", nil, 202, "", [8]uint64{}},
		{"nothing in gzip", "", "gzip", nil, 202, "", [8]uint64{}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			total, address := serve(t, 0)
			status, answer := send(t, address+eventsPath+test.query, test.encoding, bytes.NewReader(test.body))
			if status != test.status || !strings.Contains(answer, test.answer) {
				t.Errorf("status %d, answer %s; want %d, %s", status, answer, test.status, test.answer)
			}
			c := total.Counts()
			got := [8]uint64{c.Spans, c.Merged, c.Suppressed, c.Rejected, c.Malformed, c.Metrics, c.Logs, c.Protocols[intake]}
			if diff := cmp.Diff(test.counts, got); diff != "" {
				t.Errorf("spans, merged, suppressed, rejected, malformed, metrics, logs, requests (-want +got):\n%s", diff)
			}
			if c.Malformed == 0 && c.Bytes != uint64(len(test.body)) {
				t.Errorf("%d bytes, want %d", c.Bytes, len(test.body))
			}
		})
	}
}

func counts(spans, merged, suppressed uint64) [8]uint64 {
	return [8]uint64{spans, merged, suppressed, 0, 0, 0, 0, 1}
}

var refused = [8]uint64{4: 1}

func send(t *testing.T, address, encoding string, body io.Reader) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-ndjson")
	r.Header.Set("Content-Encoding", encoding)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(answer)
}

// A request that stays open is counted line by line, does not count as work under way,
// and takes nobody's turn.
func TestOpenStream(t *testing.T) {
	total, address := serve(t, 0)
	body, writer := io.Pipe()
	status := make(chan int)
	go func() {
		code, _ := send(t, address+eventsPath, "", body)
		status <- code
	}()
	write := func(text string) {
		if _, err := io.WriteString(writer, text); err != nil {
			t.Error(err)
		}
	}
	write(lines(first))
	waitFor(t, func() bool { return total.Counts().Requests == 1 })
	for i := range uint64(5) {
		next := strings.Replace(span, `"id":"2"`, fmt.Sprintf(`"id":"%d"`, i+2), 1)
		write(next[:20])
		waitFor(t, func() bool { return total.Counts().Bytes == uint64(len(first)+1)+i*uint64(len(next)+1)+20 })
		if got := total.Counts().Spans; got != i {
			t.Errorf("%d spans after half of one more than %d", got, i)
		}
		write(next[20:] + "\n")
		waitFor(t, func() bool { return total.Counts().Spans == i+1 })
	}
	if got, _ := send(t, address+eventsPath, "", strings.NewReader(lines(first, tx))); got != http.StatusAccepted {
		t.Errorf("another request beside the open one: status %d", got)
	}
	if n := total.InFlight(); n != 0 {
		t.Errorf("%d requests in flight", n)
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	if got := <-status; got != http.StatusAccepted {
		t.Errorf("status %d", got)
	}
	if c := total.Counts(); c.Spans != 6 || c.Requests != 2 || c.Merged != 10 || c.Orphans != 0 {
		t.Errorf("spans %d, requests %d, merged %d, orphans %d", c.Spans, c.Requests, c.Merged, c.Orphans)
	}
}
