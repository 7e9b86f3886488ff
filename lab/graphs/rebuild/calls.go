package rebuild

import (
	"encoding/csv"
	"encoding/hex"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/tracetax/tracetax/internal/sheet"
	"github.com/tracetax/tracetax/lab/graphs/packets"
)

// callColumns name those of the table of calls. The first four are those of Unnikrishnan's script (2023, §1.2.1).
var callColumns = []string{
	"source", "destination", "sequence_number", "headers", "call", "protocol", "method", "status", "request_bytes", "answer_bytes",
	"asked", "asked_all", "answered", "answered_all", "resent", "trace", "parent", "parent_known_by", "run",
}

// callWriter writes calls as CSV, a row each.
type callWriter struct {
	to     *csv.Writer
	titled bool
	run    string
}

func newCallWriter(to io.Writer, run string, further bool) *callWriter {
	if to == nil {
		return &callWriter{}
	}
	return &callWriter{csv.NewWriter(to), further, run}
}

func (w *callWriter) add(c *call) error {
	if w.to == nil {
		return nil
	}
	parent := ""
	if c.parent != 0 {
		parent = strconv.FormatInt(c.parent, 10)
	}
	rows := [][]string{callColumns, {
		c.From.String(), c.To.String(), strconv.FormatUint(uint64(c.Sequence), 10), headers(c.Fields), strconv.FormatInt(c.number, 10),
		c.Protocol, sheet.Text(c.Method), sheet.Text(c.Status), strconv.FormatInt(c.Request, 10), strconv.FormatInt(c.Answer, 10),
		stamp(c.Asked), stamp(c.AskedAll), stamp(c.Answered), stamp(c.AnsweredAll), strconv.Itoa(c.Resent),
		hex.EncodeToString(c.trace[:]), parent, string(c.how), sheet.Text(w.run),
	}}
	if w.titled {
		rows = rows[1:]
	}
	w.titled = true
	for _, row := range rows {
		if err := w.to.Write(row); err != nil {
			return fmt.Errorf("writing the calls: %w", err)
		}
	}
	return nil
}

func (w *callWriter) flush() error {
	if w.to == nil {
		return nil
	}
	w.to.Flush()
	if err := w.to.Error(); err != nil {
		return fmt.Errorf("writing the calls: %w", err)
	}
	return nil
}

func stamp(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format("2006-01-02T15:04:05.000000000Z")
}

// headers are those of a request as JSON, pairs of a name and a value.
func headers(fields []packets.Field) string {
	if len(fields) == 0 {
		return ""
	}
	b := []byte{'['}
	for i, f := range fields {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(text(append(b, '['), f.Name), ',')
		b = append(text(b, withoutSecrets(f)), ']')
	}
	return string(append(b, ']'))
}

// leftOut stands for a credential.
const leftOut = "(left out)"

// secret names the headers with credentials.
var secret = map[string]bool{
	"authorization": true, "cookie": true, "set-cookie": true, "x-api-key": true, "proxy-authorization": true,
}

// userinfo is the part of a URL, or of an authority, that has a user's name and password.
var (
	userinfo  = regexp.MustCompile(`//[^/@\s"]*@`)
	authority = regexp.MustCompile(`^[^/@\s]*@`)
)

// withoutSecrets returns the value of a header without credentials, and of a path without its query.
func withoutSecrets(f packets.Field) string {
	name := strings.ToLower(f.Name)
	switch {
	case secret[name]:
		return leftOut
	case name == ":path":
		path, _, _ := strings.Cut(f.Value, "?")
		return path
	case !strings.Contains(f.Value, "@"):
		return f.Value
	case name == "host" || name == ":authority":
		return authority.ReplaceAllString(f.Value, leftOut+"@")
	}
	return userinfo.ReplaceAllString(f.Value, "//"+leftOut+"@")
}
