package traces

import (
	"cmp"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"github.com/tracetax/tracetax/lab/graphs/topology"
	"github.com/tracetax/tracetax/lab/graphs/traces/formats"
)

// label has the names that many spans share: a file has few different ones.
type label struct {
	asked
	service string // as it came, without secrets; "" where nothing names it
	kind    formats.Kind
	system  string // of a database or a broker: redis
	peer    string // the other side of the call
}

// asked names the method that a call asks for.
type asked struct {
	protocol string // http, grpc or thrift; "" where nothing tells it
	verb     string // of HTTP
	name     string // of the method, whole: /cart/{id}, shop.Cart/Add
}

// calling reports whether a span is a caller's.
func (l *label) calling() bool { return l.kind == formats.Client || l.kind == formats.Producer }

// serving reports whether a span is that of a called program.
func (l *label) serving() bool { return l.kind == formats.Server || l.kind == formats.Consumer }

// labelOf reads the names of a span by the conventions of both ages.
func labelOf(s *formats.Span) label {
	f := &s.Fields
	l := label{service: plain(s.Service), kind: s.Kind, system: plain(f[formats.DBSystem]), peer: peerOf(f)}
	if l.kind == formats.Unknown && strings.HasSuffix(s.Name, "_client") && !strings.Contains(s.Name, " ") {
		l.kind = formats.Client
	}
	switch rpc := strings.ToLower(f[formats.RPCSystem]); {
	case l.system != "":
		l.name = query(s)
	case rpc != "" || f[formats.RPCMethod] != "":
		if rpc == "grpc" || rpc == "" {
			l.protocol = topology.GRPC
		} else if strings.Contains(rpc, "thrift") {
			l.protocol = "thrift"
		}
		l.name = procedure(s)
	case cmp.Or(f[formats.HTTPMethod], f[formats.Route], f[formats.Path], f[formats.URL]) != "":
		l.protocol = topology.HTTP
		l.verb, l.name = route(s)
	case f[formats.Messaging] != "":
		l.name = plain(f[formats.Destination])
		if !l.serving() {
			l.system = plain(f[formats.Messaging])
		}
	default:
		l.verb, l.name = cutVerb(plain(s.Name))
		if l.verb != "" || strings.HasPrefix(l.name, "/") {
			l.name = withoutIDs(l.name)
		}
		if system, operation := storeIn(s.Name); l.kind == formats.Client && system != "" {
			l.system, l.name = system, operation
			l.peer = cmp.Or(l.peer, l.service+"-"+system)
		}
	}
	l.name = cmp.Or(l.name, plain(s.Name))
	return l
}

// peerOf names the other side of a call: a service, a host, or a system with its database.
func peerOf(f *formats.Fields) string {
	if name := plain(f[formats.Peer]); name != "" {
		if strings.Contains(f[formats.Peer], "://") {
			name, _, _ = strings.Cut(name, "/")
		}
		return name
	}
	host := plain(f[formats.Host])
	if host == "" {
		host = address(f).Hostname()
	}
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	isNumber := net.ParseIP(strings.Trim(host, "[]")) != nil
	if host != "" && host != "localhost" && !isNumber && !strings.HasPrefix(host, "/") {
		return host
	}
	system, database := plain(f[formats.DBSystem]), plain(f[formats.DBName])
	if system != "" && database != "" && !isID(database) {
		return system + "-" + database
	}
	return cmp.Or(system, plain(f[formats.Messaging]))
}

// address returns the URL of a request. It is empty without one, and where the text is no URL.
func address(f *formats.Fields) *url.URL {
	if u, err := url.Parse(f[formats.URL]); err == nil {
		return u
	}
	return &url.URL{}
}

// procedure names the method of a remote call: SERVICE/METHOD, or METHOD.
func procedure(s *formats.Span) string {
	service, method := plain(s.Fields[formats.RPCService]), strings.TrimPrefix(plain(s.Fields[formats.RPCMethod]), "/")
	switch {
	case method == "":
		return strings.TrimPrefix(plain(s.Name), "/")
	case service == "" || strings.Contains(method, "/"):
		return method
	}
	return service + "/" + method
}

// route returns the verb and the route of a request. A path without a route has {id} in the place of its ids.
func route(s *formats.Span) (verb, name string) {
	f := &s.Fields
	verb = strings.ToUpper(plain(f[formats.HTTPMethod]))
	if known := plain(f[formats.Route]); known != "" {
		_, name = cutVerb(known)
		return verb, name
	}
	path := plain(f[formats.Path])
	if path == "" {
		path = plain(address(f).Path)
	}
	if path != "" {
		return verb, withoutIDs(path)
	}
	of, rest := cutVerb(plain(s.Name))
	return cmp.Or(verb, of), withoutIDs(rest)
}

// query returns the first word that is asked of a database. The others may be secret.
func query(s *formats.Span) string {
	for _, text := range []string{s.Fields[formats.DBOperation], s.Fields[formats.DBStatement], s.Name} {
		words := strings.FieldsFunc(text, func(r rune) bool { return !letter(r) && !digit(r) && r != '_' && r != '-' })
		switch {
		case len(words) == 0 || isID(words[0]):
		case words[0] == strings.ToUpper(words[0]):
			return strings.ToLower(words[0])
		default:
			return words[0]
		}
	}
	return "query"
}

// systems are stores that names of spans tell: a word begins so.
var systems = []struct{ begins, name string }{
	{"mongo", "mongodb"}, {"redis", "redis"}, {"memcached", "memcached"}, {"mmc", "memcached"}, {"mysql", "mysql"}, {"postgres", "postgresql"},
}

// storeIn finds a store and a query in the name of a span without attributes, such as user_mongo_find_client.
func storeIn(name string) (system, operation string) {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !letter(r) && !digit(r) })
	for i, word := range words {
		for _, known := range systems {
			if strings.HasPrefix(word, known.begins) {
				rest := slices.DeleteFunc(words[i+1:], func(word string) bool { return word == "client" })
				return known.name, append(rest, "query")[0]
			}
		}
	}
	return "", ""
}

func letter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }
func digit(r rune) bool  { return r >= '0' && r <= '9' }

// plain returns a text of a span without secrets, and without characters that nobody sees: it leaves out the user of an address and a
// query.
func plain(text string) string {
	if scheme, rest, is := strings.Cut(text, "://"); is {
		address, path, _ := strings.Cut(rest, "/")
		text = strings.TrimSuffix(address[strings.LastIndexByte(address, '@')+1:]+"/"+path, "/")
		if i := strings.LastIndexByte(scheme, ' '); i >= 0 { // GET http://…
			text = scheme[:i+1] + "/" + path
		}
	}
	if !strings.Contains(text, " ") {
		text = text[strings.LastIndexByte(text, '@')+1:]
	}
	if i := strings.IndexAny(text, "?#"); i >= 0 {
		text = text[:i]
	}
	text = strings.Map(func(r rune) rune {
		if r == unicode.ReplacementChar || !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, text)
	const longest = 200 // bytes
	if len(text) > longest {
		text = strings.ToValidUTF8(text[:longest], "")
	}
	return strings.TrimSpace(text)
}

// verbs are those of HTTP.
var verbs = []string{"GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "CONNECT", "TRACE"}

// cutVerb cuts the verb of HTTP from a name: GET /cart, HTTP GET, GET-cart.
func cutVerb(name string) (verb, rest string) {
	name = strings.TrimPrefix(name, "HTTP ")
	for _, verb := range verbs {
		rest, is := strings.CutPrefix(name, verb)
		if is && (rest == "" || strings.ContainsRune(" /-_", rune(rest[0]))) {
			return verb, strings.TrimLeft(rest, " -_")
		}
	}
	return "", name
}

// withoutIDs puts {id} in the place of each part of a path that looks like an id or a secret.
func withoutIDs(path string) string {
	parts := strings.Split(path, "/")
	for i, part := range parts {
		if isID(part) {
			parts[i] = "{id}"
		}
	}
	return strings.Join(parts, "/")
}

// isID reports whether a part of a path is no word: a number, a UUID, a hash, a token.
func isID(part string) bool {
	digits, hex, others := 0, 0, 0
	for _, r := range part {
		switch {
		case digit(r):
			digits++
		case strings.ContainsRune("abcdefABCDEF", r):
			hex++
		case r != '-':
			others++
		}
	}
	number, hash := hex+others == 0, others == 0 && digits+hex >= 8
	token := len(part) >= 20 && digits >= 4 && strings.Count(part, "-") < 3
	return digits > 0 && (number || hash || token) || strings.ContainsAny(part, "=%+@$~!")
}

// Bounds of cleaned names, below those of a topology: a number may follow.
const (
	longNode   = 34
	longMethod = 52
)

// cleaned makes a name of letters, digits, - and _ that begins with a letter; otherwise where nothing is left.
func cleaned(text, otherwise string, longest int) string {
	var out strings.Builder
	for _, r := range text {
		switch {
		case letter(r) || digit(r) || r == '_':
			out.WriteRune(r)
		case out.Len() > 0 && !strings.HasSuffix(out.String(), "-"):
			out.WriteByte('-')
		}
		if out.Len() >= longest {
			break
		}
	}
	name := strings.Trim(out.String(), "-_")
	switch {
	case name == "":
		return otherwise
	case !letter(rune(name[0])):
		return otherwise + "-" + name
	}
	return name
}

// methodName makes the name of a method: the last part of a procedure, or all of a path.
func methodName(m method) string {
	name := m.name
	if m.protocol != "http" && !strings.HasPrefix(name, "/") {
		if i := strings.LastIndexByte(name, '/'); i >= 0 {
			name = name[i+1:]
		} else if m.protocol != "" {
			name = name[strings.LastIndexByte(name, '.')+1:]
		}
	}
	return cleaned(name, "index", longMethod)
}

// taken are the names that are given, each with the number that its next namesake gets.
type taken map[string]int

// give returns the first of the names that is free, else the last with a number.
func (t taken) give(names ...string) string {
	for _, name := range names {
		if t[name] == 0 {
			t[name] = 2
			return name
		}
	}
	last := names[len(names)-1]
	for n := t[last]; ; n++ {
		if name := fmt.Sprintf("%s-%d", last, n); t[name] == 0 {
			t[name], t[last] = 2, n+1
			return name
		}
	}
}
