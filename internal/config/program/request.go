// Requests of an operation: where they go, over HTTP and gRPC.

package program

import (
	"bytes"
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
	"unicode/utf8"

	"github.com/tracetax/tracetax/internal/role"
	"github.com/tracetax/tracetax/internal/suggest"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
)

// request reads "POST /checkout" or "GET http://127.0.0.1:8080/".
func (s *Source) request(n *Node) (verb, target string) {
	text := s.Line(n)
	s.Placeholders(n.At, withoutData(text), s.Known)
	verb, target, ok := strings.Cut(strings.TrimSpace(text), " ")
	if !ok && isTarget(verb) {
		verb, target = "GET", verb
	}
	target = strings.TrimSpace(target)
	if !method.MatchString(strings.ToUpper(verb)) {
		s.Fail(n.At, "%q is not a request such as \"POST /checkout\"", Printable(text))
		return verb, target
	}
	if err := CheckMethod(verb); err != nil {
		s.Fail(n.At, "%v", err)
		return verb, target
	}
	s.url(n, target, fmt.Sprintf("the request %q must go to a path such as /checkout, or to an http:// or https:// URL", Printable(text)))
	return verb, target
}

// fullMethod is the path of a gRPC method.
var fullMethod = regexp.MustCompile(`^/[A-Za-z_][A-Za-z0-9_.]*/[A-Za-z_][A-Za-z0-9_]*$`)

// call reads "/package.Service/Method", with or without an address before it.
func (s *Source) call(n *Node) string {
	text := strings.TrimSpace(s.Line(n))
	s.Placeholders(n.At, withoutData(text), s.Known)
	if rest, ok := strings.CutPrefix(text, "grpc"); ok && strings.Contains(rest, "://") {
		text = "http" + rest // grpc:// and grpcs://, as the load command has them
	}
	before := len(s.Problems)
	s.url(n, text, fmt.Sprintf("the call %q must be a method such as /package.Service/Method, or http://127.0.0.1:50051/package.Service/Method", Printable(text)))
	if len(s.Problems) > before {
		return text
	}
	path := text
	if _, rest, absolute := strings.Cut(text, "://"); absolute {
		at := max(0, strings.IndexByte(rest, '/'))
		path = rest[at:]
	}
	if !fullMethod.MatchString(path) {
		s.Fail(n.At, "%q is not a gRPC method such as /package.Service/Method", Printable(path))
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
func (s *Source) url(n *Node, url, otherwise string) {
	switch {
	case strings.HasPrefix(url, "unix:"):
		s.Fail(n.At, "a Unix socket cannot be asked: have the program listen on 127.0.0.1, and request a path")
	case strings.ContainsFunc(url, unicode.IsSpace):
		s.Fail(n.At, "the URL %q holds a space; write it as %%20", Printable(url))
	case !isTarget(url):
		s.Fail(n.At, "%s", otherwise)
	case strings.Contains(url, "://") && strings.HasPrefix(url, "http"):
		if err := checkURL(withoutData(url)); err != nil {
			s.Fail(n.At, "%v", err)
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
		return fmt.Errorf("%q is not a request method such as GET or POST", Printable(name))
	}
	for _, known := range commonMethods {
		if upper == known && name != known || suggest.Distance(upper, known) == 1 {
			return fmt.Errorf("unknown request method %q%s", Printable(name), suggest.DidYouMean(known))
		}
	}
	if name != upper {
		return fmt.Errorf("the request method %q must be in upper case: %s", Printable(name), upper)
	}
	return nil
}

// What every request says besides its method and its path: which process is asked, and its headers.

// target checks that a request to a path has a port to go to.
func (s *Source) target(o *Operation, at Place) {
	processes := s.Subject.Processes
	if !strings.HasPrefix(o.URL, "/") && !strings.HasPrefix(o.URL, dataStart) || len(processes) == 0 {
		return
	}
	s.outermost(o, at, processes)
	p := o.Owner(processes)
	if p.Name != "" && !p.InImage() && p.Run != nil && !UsesPort(p, processes) {
		way := fmt.Sprintf("put {port} into its run or env, or write http://127.0.0.1:PORT%s here", Printable(o.URL))
		if at.Flag != "" {
			way = "put {port} where the command names its port, hand it over with --env 'PORT={port}', or write a fixed one, as in --op 'GET http://127.0.0.1:8080/'"
		}
		s.Fail(at, "the request goes to a path, but nothing says where process %q listens: %s", p.Name, way)
	}
	if strings.HasPrefix(o.URL, dataStart) { // the whole path comes from the data
		o.URL = "http://127.0.0.1:{port}" + o.URL
	}
}

var headerName = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")

// headers reads header fields; their names are given their usual spelling.
func (s *Source) headers(n *Node) map[string]string {
	out := map[string]string{}
	for _, e := range s.Entries(n, "headers") {
		name := textproto.CanonicalMIMEHeaderKey(e.Key)
		switch {
		case !headerName.MatchString(e.Key):
			s.Fail(e.At, "%q is not the name of a header", Printable(e.Key))
		case slices.Contains([]string{"Content-Length", "Transfer-Encoding", "Connection"}, name):
			s.Fail(e.At, "the header %s is set by the load generator itself", name)
		default:
			if _, ok := out[name]; ok {
				s.Fail(e.At, "header %s is here a second time", name)
			}
			out[name] = s.Line(e.Value)
			s.Placeholders(e.Value.At, withoutData(out[name]), s.Known)
		}
	}
	return out
}

// Which process an operation is asked of, and which answers are right.

// statuses reads 200, or [200, 500].
func (s *Source) statuses(n *Node) []int {
	read := func(v *Node) int { return s.Whole(v, 100, 599) }
	if n.Kind != List {
		return []int{read(n)}
	}
	return Levels(s, n, "statuses", read)
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
func (s *Source) outermost(o *Operation, at Place, processes []Process) {
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
		if len(s.Problems) > 0 {
			return // that may come of processes which could not be read
		}
		s.Fail(at, "the request goes to a path, and several processes could be asked: %s; name one with process: NAME", strings.Join(apps, ", "))
		return
	}
	o.Process = outer[0]
}

// givenTo reports whether another process gets the port of p.
func givenTo(p Process, processes []Process) bool {
	return slices.ContainsFunc(processes, func(q Process) bool {
		return q.Name != p.Name && slices.ContainsFunc(texts(q), func(t string) bool { return slices.Contains(Placeholders(t), p.Name+".port") })
	})
}

func (s *Source) processOf(n *Node, processes []Process) string {
	name := s.Line(n)
	var known []string
	for _, p := range processes {
		known = append(known, p.Name)
	}
	if !slices.Contains(known, name) {
		s.Fail(n.At, "%s", Unknown("process", Printable(name), known))
	}
	return name
}

// spans reads 3, 2..5, or {default: 3, otel-go: 2..5}.
func (s *Source) spans(n *Node) map[string]Number {
	if n.Kind != Mapping {
		return map[string]Number{"": s.spanNumber(n)}
	}
	out := map[string]Number{}
	for _, e := range n.Entries {
		name := e.Key
		if name == "default" {
			name = ""
		}
		out[name] = s.spanNumber(e.Value)
	}
	return out
}

func (s *Source) spanNumber(n *Node) Number {
	low, high, interval := strings.Cut(s.Text(n), "..")
	if !interval {
		high = low
	}
	a, err1 := strconv.ParseFloat(low, 64)
	b, err2 := strconv.ParseFloat(high, 64)
	if err1 != nil || err2 != nil || !(a >= 0 && b >= a) || math.IsInf(b, 0) {
		s.Fail(n.At, "%q is not a number of spans such as 3, or 2..5", Printable(n.Text))
		return Number{}
	}
	return Number{a, b}
}

// Bodies of requests.

// MaxBody is the most bytes of all bodies of a file together. The load generator holds them, and is sent them for each
// phase.
const MaxBody = 64 << 20

// maxInline is the most bytes that are written into the resolved experiment: people have to be able to read it.
const maxInline = 256 << 10

// Content is a request's body.
type Content struct {
	Bytes []byte
	File  string // the resolved experiment names this file; "": it holds the body
}

// Body is a body: its text or its file.
type Body struct {
	_    struct{} `called:"body"`
	Text string   `yaml:"text" as:"text"` // the body itself
	File string   `yaml:"file"`           // a file beside the experiment, or inside the workload's folder
}

// body reads a text, "@file", or a Body.
func (s *Source) body(n *Node) Content {
	if n.Kind != Mapping {
		text := s.Text(n)
		if file, ok := strings.CutPrefix(text, "@"); ok {
			return s.bodyFile(n, file)
		}
		return s.inline(n, []byte(text))
	}
	var from Body
	s.Decode(n, &from)
	if len(n.Entries) != 1 {
		s.Fail(n.At, "body has one of text and file")
		return Content{}
	}
	if file := n.Get("file"); file != nil {
		return s.bodyFile(file, from.File)
	}
	return s.inline(n, []byte(from.Text))
}

// inline is a body that the resolved experiment holds.
func (s *Source) inline(n *Node, body []byte) Content {
	if s.inlined += len(body); s.inlined > maxInline {
		s.Fail(n.At, "the bodies are too large: %d bytes up to here, and the most is %d of what is no file; write \"@file\" for a large one", s.inlined, maxInline)
		return Content{}
	}
	return Content{Bytes: body}
}

// survives reports whether a body stays what it is when it is written as YAML.
func survives(body []byte) bool {
	return utf8.Valid(body) && !bytes.ContainsFunc(body, func(r rune) bool { return !unicode.IsPrint(r) && !strings.ContainsRune("\n\t", r) })
}

// bodyFile reads a body from a file. A large one, and one that is no text, stays there.
func (s *Source) bodyFile(n *Node, name string) Content {
	if s.Open == nil {
		s.Fail(n.At, "body: there is no folder to read %q from", Printable(name))
		return Content{}
	}
	text, err := s.Open(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		s.Fail(n.At, "body: there is no file %q beside this one; for a text that begins with @ write {text: \"@…\"}", Printable(name))
		return Content{}
	case err != nil:
		s.Fail(n.At, "body: %v", err)
		return Content{}
	case s.Files != nil || s.inlined+len(text) <= maxInline && survives(text):
		return s.inline(n, text)
	}
	if s.filed += len(text); s.filed > MaxBody {
		s.Fail(n.At, "the bodies are too large: %d bytes up to here; the most is 64 MiB (%d bytes) together, larger bodies are not supported", s.filed, MaxBody)
		return Content{}
	}
	whole, err := s.beside(name)
	if err != nil {
		s.Fail(n.At, "body: %v", err)
		return Content{}
	}
	return Content{Bytes: text, File: whole}
}

// The types of a gRPC service: with them a message is written as JSON.

// maxProtoset is the most bytes of a descriptor set: every load
// generator is sent it.
const maxProtoset = 4 << 20

func (s *Source) protoset(n *Node) string {
	if s.Line(n) == "" {
		s.Fail(n.At, "protoset names a descriptor set: what protoc --descriptor_set_out=FILE --include_imports writes")
		return ""
	}
	return s.fileName(n, "protoset")
}

// fitsTypes complains of a protoset that does not go with the call, or that does
// not know its method.
func (s *Source) fitsTypes(o *Operation, n *Node) {
	at := n.Get("protoset")
	if at == nil || o.Protoset == "" {
		return
	}
	if !o.GRPC {
		s.Fail(at.At, "a protoset holds the types of a gRPC service; leave it out, or write grpc: /package.Service/Method")
		return
	}
	set, err := s.descriptors(o.Protoset)
	if err != nil {
		s.Fail(at.At, "protoset: %v (want what protoc --descriptor_set_out=FILE --include_imports writes)", err)
		return
	}
	if known := methods(set); !strings.Contains(o.URL, dataStart) {
		found := false
		for _, method := range known {
			found = found || strings.HasSuffix(o.URL, method)
		}
		if !found {
			s.Fail(at.At, "protoset: %s", Unknown("method", Printable(o.URL), known))
		}
	}
	body := n.Get("body")
	switch {
	case len(o.Body.Bytes) == 0:
		s.Fail(at.At, "with a protoset the body is the message in JSON; write body: '{}' for an empty one")
	case o.Data == "" && !json.Valid(bytes.TrimSpace(o.Body.Bytes)):
		s.Fail(body.At, "with a protoset the body is the message in JSON, and this is not")
	}
}

func (s *Source) descriptors(name string) (*descriptorpb.FileDescriptorSet, error) {
	f, err := openNamed(s.Files, name)
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
