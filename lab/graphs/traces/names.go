package traces

import (
	"fmt"
	"strings"
	"unicode"
)

// plain returns a text from a span without what may be secret or cannot be shown: the user in an address, a query, control
// characters.
func plain(text string) string {
	if text == "" {
		return ""
	}
	if scheme, rest, is := strings.Cut(text, "://"); is {
		address, path, _ := strings.Cut(rest, "/")
		address = address[strings.LastIndexByte(address, '@')+1:]
		if i := strings.LastIndexByte(scheme, ' '); i >= 0 { // GET http://…
			address = scheme[:i+1] + "/" + path
		} else if path != "" {
			address += "/" + path
		}
		text = address
	}
	if at := strings.LastIndexByte(text, '@'); at >= 0 && !strings.Contains(text, " ") {
		text = text[at+1:]
	}
	if i := strings.IndexAny(text, "?#"); i >= 0 {
		text = text[:i]
	}
	if strings.IndexFunc(text, odd) >= 0 {
		text = strings.Map(func(r rune) rune {
			if odd(r) {
				return ' '
			}
			return r
		}, text)
	}
	const longest = 200
	if len(text) > longest {
		text = strings.ToValidUTF8(text[:longest], "")
	}
	return strings.TrimSpace(text)
}

func odd(r rune) bool { return r == unicode.ReplacementChar || !unicode.IsPrint(r) }

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

// withoutIDs puts {id} in the place of what in a path may be the name of one of many things, or a secret.
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
	digits, hex, others, dashes := 0, 0, 0, 0
	for _, r := range part {
		switch {
		case r >= '0' && r <= '9':
			digits++
		case r >= 'a' && r <= 'f' || r >= 'A' && r <= 'F':
			hex++
		case r == '-':
			dashes++
		case r == '=' || r == '%' || r == '+' || r == '@' || r == '$' || r == '~' || r == '!':
			return true
		default:
			others++
		}
	}
	long := len(part) >= 20
	return digits > 0 && (hex+others == 0 || others == 0 && digits+hex >= 8 || long && digits >= 4 && dashes < 3)
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
		case letter(r) || r >= '0' && r <= '9' || r == '_':
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

// nodeName makes the name of a node or a store.
func nodeName(text string) string {
	return cleaned(strings.ToLower(text), "service", longNode)
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
