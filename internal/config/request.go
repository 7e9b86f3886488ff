// Requests of an operation: where they go, over HTTP and gRPC.

package config

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"net/textproto"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/tracetax/tracetax/internal/nearest"
	"github.com/tracetax/tracetax/internal/role"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
)

// request reads "POST /checkout" or "GET http://127.0.0.1:8080/".
func (s *source) request(n *node) (verb, target string) {
	text := s.line(n)
	s.placeholders(n.at, withoutData(text), s.known)
	verb, target, ok := strings.Cut(strings.TrimSpace(text), " ")
	if !ok && isTarget(verb) {
		verb, target = "GET", verb
	}
	target = strings.TrimSpace(target)
	if !method.MatchString(strings.ToUpper(verb)) {
		s.fail(n.at, "%q is not a request such as \"POST /checkout\"", printable(text))
		return verb, target
	}
	if err := CheckMethod(verb); err != nil {
		s.fail(n.at, "%v", err)
		return verb, target
	}
	s.url(n, target, fmt.Sprintf("the request %q must go to a path such as /checkout, or to an http:// or https:// URL", printable(text)))
	return verb, target
}

// fullMethod is the path of a gRPC method.
var fullMethod = regexp.MustCompile(`^/[A-Za-z_][A-Za-z0-9_.]*/[A-Za-z_][A-Za-z0-9_]*$`)

// call reads "/package.Service/Method", with or without an address before it.
func (s *source) call(n *node) string {
	text := strings.TrimSpace(s.line(n))
	s.placeholders(n.at, withoutData(text), s.known)
	if rest, ok := strings.CutPrefix(text, "grpc"); ok && strings.Contains(rest, "://") {
		text = "http" + rest // grpc:// and grpcs://, as the load command has them
	}
	before := len(s.problems)
	s.url(n, text, fmt.Sprintf("the call %q must be a method such as /package.Service/Method, or http://127.0.0.1:50051/package.Service/Method", printable(text)))
	if len(s.problems) > before {
		return text
	}
	path := text
	if _, rest, absolute := strings.Cut(text, "://"); absolute {
		at := max(0, strings.IndexByte(rest, '/'))
		path = rest[at:]
	}
	if !fullMethod.MatchString(path) {
		s.fail(n.at, "%q is not a gRPC method such as /package.Service/Method", printable(path))
	}
	return text
}

// isTarget reports whether a request goes there.
func isTarget(text string) bool {
	return strings.HasPrefix(text, "/") || strings.HasPrefix(text, dataStart) ||
		strings.HasPrefix(text, "http://") || strings.HasPrefix(text, "https://")
}

// url checks where a request goes; otherwise is what is said of a text that is
// neither path nor address.
func (s *source) url(n *node, url, otherwise string) {
	switch {
	case strings.HasPrefix(url, "unix:"):
		s.fail(n.at, "a Unix socket cannot be asked: have the program listen on 127.0.0.1, and request a path")
	case strings.ContainsFunc(url, unicode.IsSpace):
		s.fail(n.at, "the URL %q holds a space; write it as %%20", printable(url))
	case !isTarget(url):
		s.fail(n.at, "%s", otherwise)
	case strings.Contains(url, "://") && strings.HasPrefix(url, "http"):
		if err := checkURL(withoutData(url)); err != nil {
			s.fail(n.at, "%v", err)
		}
	}
}

// Request methods, and the names of those that were probably meant.

var method = regexp.MustCompile(`^[A-Z]+(-[A-Z]+)*$`)

// commonMethods are those of RFC 9110 and PATCH. Any other one may be asked for
// too, unless it is a slip of the finger away from one of these.
var commonMethods = []string{"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH"}

const maxMethod = 40 // characters

// CheckMethod says what is wrong with a request method, nil if nothing is.
func CheckMethod(name string) error {
	upper := strings.ToUpper(name)
	switch {
	case upper == "CONNECT":
		return fmt.Errorf("the method CONNECT is not supported")
	case !method.MatchString(upper) || len(name) > maxMethod:
		return fmt.Errorf("%q is not a request method such as GET or POST", printable(name))
	}
	for _, known := range commonMethods {
		if upper == known && name != known || nearest.Distance(upper, known) == 1 {
			return fmt.Errorf("unknown request method %q%s", printable(name), nearest.DidYouMean(known))
		}
	}
	if name != upper {
		return fmt.Errorf("the request method %q must be in upper case: %s", printable(name), upper)
	}
	return nil
}

// What every request says besides its method and its path: which process is asked, and its headers.

// target checks that a request to a path has a port to go to.
func (s *source) target(o *Operation, at place) {
	processes := s.subject.Processes
	if !strings.HasPrefix(o.URL, "/") && !strings.HasPrefix(o.URL, dataStart) || len(processes) == 0 {
		return
	}
	s.outermost(o, at, processes)
	p := o.Owner(processes)
	if p.Name != "" && p.Run != nil && !usesPort(p, processes) {
		way := fmt.Sprintf("put {port} into its run or env, or write http://127.0.0.1:PORT%s here", printable(o.URL))
		if at.flag != "" {
			way = "put {port} where the command names its port, hand it over with --env 'PORT={port}', or give a fixed one with --port"
		}
		s.fail(at, "the request goes to a path, but nothing says where process %q listens: %s", p.Name, way)
	}
	if strings.HasPrefix(o.URL, dataStart) { // the whole path comes from the data
		o.URL = "http://127.0.0.1:{port}" + o.URL
	}
}

var headerName = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")

// headers reads header fields; their names are given their usual spelling.
func (s *source) headers(n *node) map[string]string {
	out := map[string]string{}
	for _, e := range s.entries(n, "headers") {
		name := textproto.CanonicalMIMEHeaderKey(e.key)
		switch {
		case !headerName.MatchString(e.key):
			s.fail(e.at, "%q is not the name of a header", printable(e.key))
		case slices.Contains([]string{"Content-Length", "Transfer-Encoding", "Connection"}, name):
			s.fail(e.at, "the header %s is set by the load generator itself", name)
		default:
			if _, ok := out[name]; ok {
				s.fail(e.at, "header %s is here a second time", name)
			}
			out[name] = s.line(e.value)
			s.placeholders(e.value.at, withoutData(out[name]), s.known)
		}
	}
	return out
}

// Which process an operation is asked of, and which answers are right.

// statuses reads 200, or [200, 500].
func (s *source) statuses(n *node) []int {
	read := func(v *node) int { return s.whole(v, 100, 599) }
	if n.kind != list {
		return []int{read(n)}
	}
	return levels(s, n, "statuses", read)
}

// Owner is the process that the operation is asked of: the named one (outermost names it where
// there are several of role app), else the first of role app, else the first. There must be at least one.
func (o Operation) Owner(processes []Process) Process {
	is := func(p Process) bool { return p.Role == role.App }
	if o.Process != "" {
		is = func(p Process) bool { return p.Name == o.Process }
	}
	return processes[max(0, slices.IndexFunc(processes, is))]
}

// outermost names the process of an operation that names none where there are several of role app: the one whose port
// no other is given. A callee stands before its caller, so that the first of them is the innermost.
func (s *source) outermost(o *Operation, at place, processes []Process) {
	var apps, outer []string
	for _, p := range processes {
		if p.Role != role.App {
			continue
		}
		apps = append(apps, p.Name)
		if !givenTo(p, processes) {
			outer = append(outer, p.Name)
		}
	}
	if o.Process != "" || len(apps) < 2 {
		return
	}
	if len(outer) != 1 {
		if len(s.problems) > 0 {
			return // that may come of processes which could not be read
		}
		s.fail(at, "the request goes to a path, and several processes could be asked: %s; name one with process: NAME", strings.Join(apps, ", "))
		return
	}
	o.Process = outer[0]
}

// givenTo reports whether another process is told the port of p.
func givenTo(p Process, processes []Process) bool {
	return slices.ContainsFunc(processes, func(q Process) bool {
		return q.Name != p.Name && slices.ContainsFunc(texts(q), func(t string) bool { return slices.Contains(Placeholders(t), p.Name+".port") })
	})
}

func (s *source) processOf(n *node, processes []Process) string {
	name := s.line(n)
	var known []string
	for _, p := range processes {
		known = append(known, p.Name)
	}
	if !slices.Contains(known, name) {
		s.fail(n.at, "%s", unknown("process", printable(name), known))
	}
	return name
}

// spans reads 3, 2..5, or {default: 3, otel-go: 2..5}.
func (s *source) spans(n *node) map[string]Number {
	if n.kind != mapping {
		return map[string]Number{"": s.spanNumber(n)}
	}
	out := map[string]Number{}
	for _, e := range n.entries {
		name := e.key
		if name == "default" {
			name = ""
		}
		out[name] = s.spanNumber(e.value)
	}
	return out
}

func (s *source) spanNumber(n *node) Number {
	low, high, interval := strings.Cut(s.text(n), "..")
	if !interval {
		high = low
	}
	a, err1 := strconv.ParseFloat(low, 64)
	b, err2 := strconv.ParseFloat(high, 64)
	if err1 != nil || err2 != nil || !(a >= 0 && b >= a) || math.IsInf(b, 0) {
		s.fail(n.at, "%q is not a number of spans such as 3, or 2..5", printable(n.text))
		return Number{}
	}
	return Number{a, b}
}

// Bodies of requests.

// maxBody is how large all bodies of a file may be together, in bytes: they are
// written into the resolved experiment, which has to be a file that can be read.
const maxBody = 256 << 10

func (s *source) limitedBody(n *node) []byte {
	body := s.body(n)
	s.bodies += len(body)
	if s.bodies > maxBody {
		s.fail(n.at, "the bodies are too large: %d bytes up to here; the most is %d together", s.bodies, maxBody)
		return nil
	}
	return body
}

// Body is where a body comes from: one of these.
type Body struct {
	_      struct{} `called:"body"`
	Text   string   `yaml:"text" as:"text"`   // the body itself
	File   string   `yaml:"file"`             // a file beside the experiment, or inside the workload's folder
	Base64 string   `yaml:"base64" as:"text"` // the body in base64
}

// body reads a text, "@file", or a Body.
func (s *source) body(n *node) []byte {
	if n.kind != mapping {
		text := s.text(n)
		if file, ok := strings.CutPrefix(text, "@"); ok {
			return s.bodyFile(n, file)
		}
		return []byte(text)
	}
	var from Body
	s.decode(n, &from)
	out := []byte(from.Text)
	if file := n.get("file"); file != nil {
		out = s.bodyFile(file, from.File)
	}
	if coded := n.get("base64"); coded != nil {
		var err error
		if out, err = base64.StdEncoding.DecodeString(from.Base64); err != nil {
			s.fail(coded.at, "not base64: %v", err)
		}
	}
	if len(n.entries) != 1 {
		s.fail(n.at, "body has one of text, file and base64")
	}
	return out
}

func (s *source) bodyFile(n *node, file string) []byte {
	if s.open == nil {
		s.fail(n.at, "body: there is no folder to read %q from", printable(file))
		return nil
	}
	text, err := s.open(file)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			s.fail(n.at, "body: there is no file %q beside this one; for a text that begins with @ write {text: \"@…\"}", printable(file))
			return nil
		}
		s.fail(n.at, "body: %v", err)
		return nil
	}
	return text
}

// The types of a gRPC service: with them a message is written as JSON.

// maxProtoset is how large a descriptor set may be, in bytes: every load
// generator is sent it.
const maxProtoset = 4 << 20

func (s *source) protoset(n *node) string {
	if s.line(n) == "" {
		s.fail(n.at, "protoset names a descriptor set: what protoc --descriptor_set_out=FILE --include_imports writes")
		return ""
	}
	return s.fileName(n, "protoset")
}

// fitsTypes complains of a protoset that does not go with the call, or that does
// not know its method.
func (s *source) fitsTypes(o *Operation, n *node) {
	at := n.get("protoset")
	if at == nil || o.Protoset == "" {
		return
	}
	if !o.GRPC {
		s.fail(at.at, "a protoset holds the types of a gRPC service; leave it out, or write grpc: /package.Service/Method")
		return
	}
	set, err := s.descriptors(o.Protoset)
	if err != nil {
		s.fail(at.at, "protoset: %v (want what protoc --descriptor_set_out=FILE --include_imports writes)", err)
		return
	}
	if known := methods(set); !strings.Contains(o.URL, dataStart) {
		found := false
		for _, method := range known {
			found = found || strings.HasSuffix(o.URL, method)
		}
		if !found {
			s.fail(at.at, "protoset: %s", unknown("method", printable(o.URL), known))
		}
	}
	body := n.get("body")
	switch {
	case len(o.Body) == 0:
		s.fail(at.at, "with a protoset the body is the message in JSON; write body: '{}' for an empty one")
	case o.Data == "" && !json.Valid(bytes.TrimSpace(o.Body)):
		s.fail(body.at, "with a protoset the body is the message in JSON, and this is not")
	}
}

func (s *source) descriptors(name string) (*descriptorpb.FileDescriptorSet, error) {
	f, err := openNamed(s.files, name)
	if err != nil {
		return nil, err
	}
	defer f.Close() // nothing was written
	text, err := io.ReadAll(io.LimitReader(f, maxProtoset+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxProtoset {
		return nil, fmt.Errorf("%q is larger than %d bytes", name, maxProtoset)
	}
	set := &descriptorpb.FileDescriptorSet{}
	return set, proto.Unmarshal(text, set)
}

// methods are the paths of all methods of a descriptor set.
func methods(set *descriptorpb.FileDescriptorSet) []string {
	var out []string
	for _, file := range set.File {
		prefix := "/"
		if file.GetPackage() != "" {
			prefix += file.GetPackage() + "."
		}
		for _, service := range file.Service {
			for _, method := range service.Method {
				out = append(out, prefix+service.GetName()+"/"+method.GetName())
			}
		}
	}
	return out
}
