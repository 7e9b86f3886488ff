// Package keep owns the file of spans that a sink keeps: OTLP as JSON, a request a line, as a Collector's file exporter writes it.
// It must not know how requests come, nor count for the sink: what it cannot write, the sink has counted all the same.
package keep

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// mostWaiting bounds the bytes of requests that wait to be written. What comes beyond them is not kept: whoever sends does not
// wait for a disk.
const mostWaiting = 64 << 20

// Counts are the spans of a keeper's requests.
type Counts struct {
	Kept  uint64 `json:"kept"`
	Lost  uint64 `json:"lost"`            // not written: the disk was too slow, or Error
	Error string `json:"error,omitempty"` // of the first request that could not be written

	Waiting uint64 `json:"waiting,omitempty"` // in neither number yet
}

// Keeper writes requests to a file, one after the other, by itself. It is safe for concurrent use.
type Keeper struct {
	file  *os.File
	out   *bufio.Writer
	done  chan struct{}
	ended sync.Once

	mu      sync.Mutex
	more    *sync.Cond
	waiting []request
	bytes   int
	closed  bool
	counts  Counts
}

// request is an ExportTraceServiceRequest.
type request struct {
	body  []byte
	json  bool
	spans uint64
}

// New makes a file, which must not be there yet, and keeps requests there until Close.
func New(file string) (*Keeper, error) {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, os.ErrExist) {
		return nil, fmt.Errorf("keeping spans in %s: it is there already; name another file", file)
	}
	if err != nil {
		return nil, fmt.Errorf("keeping spans in a file: %w", err)
	}
	k := &Keeper{file: f, out: bufio.NewWriterSize(f, 1<<18), done: make(chan struct{})}
	k.more = sync.NewCond(&k.mu)
	go k.write()
	return k, nil
}

// Take keeps a request with so many spans. It copies the body, and does not wait.
func (k *Keeper) Take(body []byte, json bool, spans uint64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.closed || k.counts.Error != "" || k.bytes+len(body) > mostWaiting {
		k.counts.Lost += spans
		return
	}
	k.bytes += len(body)
	k.counts.Waiting += spans
	k.waiting = append(k.waiting, request{bytes.Clone(body), json, spans})
	k.more.Signal()
}

// Counts returns what was kept so far.
func (k *Keeper) Counts() Counts {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.counts
}

// Close waits until all requests are written, and closes the file. It returns the error of the first one that was not.
func (k *Keeper) Close() (err error) {
	k.ended.Do(func() {
		k.mu.Lock()
		k.closed = true
		k.more.Signal()
		k.mu.Unlock()
		<-k.done
		if err := k.file.Close(); err != nil {
			k.note(0, 0, fmt.Errorf("closing it: %w", err))
		}
	})
	if failed := k.Counts().Error; failed != "" {
		return fmt.Errorf("keeping spans in %s: %s", k.file.Name(), failed)
	}
	return nil
}

// write writes requests until Close.
func (k *Keeper) write() {
	defer close(k.done)
	for {
		next, ok := k.next()
		if !ok {
			return
		}
		err, written, all := error(nil), uint64(0), uint64(0)
		for _, r := range next {
			if all += r.spans; err != nil {
				continue
			}
			if err = k.line(r); err == nil {
				written += r.spans
			}
		}
		if flushed := k.out.Flush(); flushed != nil { // nobody knows which lines are whole
			err, written = errors.Join(err, flushed), 0
		}
		k.note(written, all-written, err)
	}
}

// next waits for requests; false after the last.
func (k *Keeper) next() ([]request, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for len(k.waiting) == 0 && !k.closed {
		k.more.Wait()
	}
	next := k.waiting
	k.waiting, k.bytes = nil, 0
	return next, len(next) > 0
}

// note counts requests that waited.
func (k *Keeper) note(kept, lost uint64, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.counts.Kept += kept
	k.counts.Lost += lost
	k.counts.Waiting -= kept + lost
	if err != nil && k.counts.Error == "" {
		k.counts.Error = err.Error()
	}
}

// line writes one request.
func (k *Keeper) line(r request) error {
	text := jsontext.Value(r.body)
	if r.json {
		if err := text.Compact(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)); err != nil {
			return fmt.Errorf("writing a request in JSON as one line: %w", err)
		}
	} else {
		written, err := asJSON(r.body)
		if err != nil {
			return err
		}
		text = written
	}
	if _, err := k.out.Write(append(text, '\n')); err != nil {
		return err
	}
	return nil
}

// asJSON writes a request in protobuf as OTLP's JSON.
func asJSON(body []byte) ([]byte, error) {
	var all collector.ExportTraceServiceRequest
	if err := proto.Unmarshal(body, &all); err != nil {
		return nil, fmt.Errorf("reading a request in protobuf: %w", err)
	}
	for _, resource := range all.GetResourceSpans() {
		for _, scope := range resource.GetScopeSpans() {
			for _, s := range scope.GetSpans() {
				s.TraceId, s.SpanId, s.ParentSpanId = shownAsHex(s.GetTraceId()), shownAsHex(s.GetSpanId()), shownAsHex(s.GetParentSpanId())
				for _, link := range s.GetLinks() {
					link.TraceId, link.SpanId = shownAsHex(link.GetTraceId()), shownAsHex(link.GetSpanId())
				}
			}
		}
	}
	text, err := protojson.MarshalOptions{UseEnumNumbers: true, AllowPartial: true}.Marshal(&all)
	if err != nil {
		return nil, fmt.Errorf("writing a request in JSON: %w", err)
	}
	return text, nil
}

// shownAsHex returns the bytes whose base64 reads as the id in base 16: protobuf's JSON knows base64 alone, and OTLP writes ids in
// base 16. Ids of spans and traces make 16 and 32 digits, which is base64 without padding.
func shownAsHex(id []byte) []byte {
	out, err := base64.StdEncoding.DecodeString(hex.EncodeToString(id))
	if err != nil { // of another length, which no id has
		return id
	}
	return out
}
