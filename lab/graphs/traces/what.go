package traces

import (
	"net"
	"net/url"
	"strings"

	"github.com/tracetax/tracetax/lab/graphs/topology"
	"github.com/tracetax/tracetax/lab/graphs/traces/formats"
)

// what is all that spans of a kind have in common: in a file there are few of them.
type what struct {
	service  string // as it came, but for what is secret; "" where nothing names it
	kind     formats.Kind
	protocol string // http, grpc or thrift; "" where nothing tells it
	verb     string // of HTTP
	name     string // of the method, whole: /cart/{id}, shop.Cart/Add
	system   string // of a database or a broker: redis
	peer     string // the name of the other side
}

// whatOf reads the names of a span by the conventions of both ages.
func whatOf(s *formats.Span) what {
	f := &s.Fields
	w := what{service: plain(s.Service), kind: s.Kind, system: plain(f[formats.DBSystem])}
	if w.kind == formats.Unknown && strings.HasSuffix(s.Name, "_client") && !strings.Contains(s.Name, " ") {
		w.kind = formats.Client
	}
	w.peer = peerOf(f)
	switch rpc := strings.ToLower(f[formats.RPCSystem]); {
	case w.system != "":
		w.name = query(s)
	case rpc != "" || f[formats.RPCMethod] != "":
		if rpc == "grpc" || rpc == "" {
			w.protocol = topology.GRPC
		} else if strings.Contains(rpc, "thrift") {
			w.protocol = thrift
		}
		w.name = procedure(s)
	case f[formats.HTTPMethod] != "" || f[formats.Route] != "" || f[formats.Path] != "" || f[formats.URL] != "":
		w.protocol = topology.HTTP
		w.verb, w.name = route(s)
	case f[formats.Messaging] != "":
		if w.system = plain(f[formats.Messaging]); s.Kind == formats.Consumer || s.Kind == formats.Server {
			w.system = ""
		}
		w.name = plain(f[formats.Destination])
	default:
		w.verb, w.name = cutVerb(plain(s.Name))
		if w.verb != "" || strings.HasPrefix(w.name, "/") {
			w.name = withoutIDs(w.name)
		}
		if system, operation := storeIn(s.Name); w.kind == formats.Client && system != "" {
			w.system, w.name = system, operation
			if w.peer == "" {
				w.peer = w.service + "-" + system
			}
		}
	}
	if w.name == "" {
		w.name = plain(s.Name)
	}
	return w
}

const thrift = "thrift"

// peerOf is the name of the other side of a call: that of a service, or of a host.
func peerOf(f *formats.Fields) string {
	if name := plain(f[formats.Peer]); name != "" {
		if strings.Contains(f[formats.Peer], "://") {
			name, _, _ = strings.Cut(name, "/")
		}
		return name
	}
	host := plain(f[formats.Host])
	if host == "" && f[formats.URL] != "" {
		if u, err := url.Parse(f[formats.URL]); err == nil {
			host = u.Hostname()
		}
	}
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if strings.HasPrefix(host, "/") || net.ParseIP(strings.Trim(host, "[]")) != nil || host == "localhost" {
		return databaseOf(f)
	}
	if host != "" {
		return host
	}
	return databaseOf(f)
}

// databaseOf names a store by its system and its database: where nothing else names it, stores of one name are one.
func databaseOf(f *formats.Fields) string {
	system := plain(f[formats.DBSystem])
	if system == "" {
		return plain(f[formats.Messaging])
	}
	if name := plain(f[formats.DBName]); name != "" && !isID(name) {
		return system + "-" + name
	}
	return system
}

// procedure is the method of a remote call: SERVICE/METHOD, or METHOD.
func procedure(s *formats.Span) string {
	method, service := plain(s.Fields[formats.RPCMethod]), plain(s.Fields[formats.RPCService])
	if method == "" {
		return strings.TrimPrefix(plain(s.Name), "/")
	}
	if method = strings.TrimPrefix(method, "/"); !strings.Contains(method, "/") && service != "" {
		method = service + "/" + method
	}
	return method
}

// route is the verb and the route of a request; ids in a path that is no route become {id}.
func route(s *formats.Span) (verb, name string) {
	f := &s.Fields
	verb = strings.ToUpper(plain(f[formats.HTTPMethod]))
	if r := plain(f[formats.Route]); r != "" {
		_, r = cutVerb(r)
		return verb, r
	}
	path := f[formats.Path]
	if path == "" && f[formats.URL] != "" {
		if u, err := url.Parse(f[formats.URL]); err == nil {
			path = u.Path
		}
	}
	if path = plain(path); path != "" {
		return verb, withoutIDs(path)
	}
	of, rest := cutVerb(plain(s.Name))
	if verb == "" {
		verb = of
	}
	return verb, withoutIDs(rest)
}

// query is what is asked of a database: the first word, for the others may be secret.
func query(s *formats.Span) string {
	f := &s.Fields
	for _, text := range []string{f[formats.DBOperation], f[formats.DBStatement], s.Name} {
		words := strings.FieldsFunc(text, func(r rune) bool { return !letter(r) && r != '_' && (r < '0' || r > '9') && r != '-' })
		if len(words) == 0 || isID(words[0]) {
			continue
		}
		if word := words[0]; word == strings.ToUpper(word) {
			return strings.ToLower(word)
		}
		return words[0]
	}
	return "query"
}

// storeIn finds a store and what is asked of it in the name of a span that has no attribute, such as user_mongo_find_client.
func storeIn(name string) (system, operation string) {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !letter(r) && (r < '0' || r > '9') })
	for i, word := range words {
		for _, known := range []struct{ system, begins string }{
			{"mongodb", "mongo"}, {"redis", "redis"}, {"memcached", "memcached"}, {"memcached", "mmc"}, {"mysql", "mysql"}, {"postgresql", "postgres"},
		} {
			if !strings.HasPrefix(word, known.begins) {
				continue
			}
			for _, next := range words[i+1:] {
				if next != "client" {
					return known.system, next
				}
			}
			return known.system, "query"
		}
	}
	return "", ""
}

func letter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }
