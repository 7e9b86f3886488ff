// What must not be written into a file that is shown to others.

package program

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
)

// credential is what the name of a header, variable, option or setting looks like whose
// value is a secret; header is one whose value holds others' headers.
var (
	credential = regexp.MustCompile(`(?i)(^|[^a-z])(authorization|cookie|set-cookie|credentials?|bearer|auth)$|(^|[^a-z])(pass|jwt|webhook)$|[a-z]_pwd$|token|secret|passw(or)?d|passphrase|(api|private|access|licen[cs]e|account|signing|encryption|shared|master|session)[-_.]?key`)
	headers    = regexp.MustCompile(`(?i)(^|[^a-z])headers?$`)
	captured   = regexp.MustCompile(`(?i)capture`) // it names headers, and has none of their values
)

// harmlessWord and the numbers are values that are no secret, whatever they are called: a switch,
// a number with its unit, and a number that is too short for a secret.
var (
	harmlessWord    = regexp.MustCompile(`(?i)^(on|off|true|false|yes|no|none|null|all|auto|enabled?|disabled?)?$`)
	harmlessNumber  = regexp.MustCompile(`(?i)^[-+]?[0-9]+([.][0-9]+)?\s*(%|ns|us|µs|ms|s|m|h|d|b|[kmg]i?b?)$`)
	takenFromAnswer = regexp.MustCompile(`^([A-Za-z]+ |[A-Za-z0-9_.-]+=)?\{(take\.[^{}]*|[a-z][a-z0-9_-]*)\}$`) // a value that is known only in a run
	plainNumber     = regexp.MustCompile(`^[-+]?[0-9]+([.][0-9]+)?$`)
)

// IsSecret reports whether the value of a header, variable, option or setting of that
// name may not be shown: its name says so, and it is neither a switch nor a quantity.
func IsSecret(name, value string) bool {
	named := credential.MatchString(name)
	switch {
	case !named && (!headers.MatchString(name) || captured.MatchString(name)):
		return false
	case harmlessWord.MatchString(value) || harmlessNumber.MatchString(value) || takenFromAnswer.MatchString(value):
		return false
	case plainNumber.MatchString(value):
		return named && len(value) >= MinSecret
	}
	return true
}

// redactor replaces credentials by references to the environment, so that the
// file can be repeated by who knows them.
type redactor struct {
	names map[string]string // by name and value
	taken map[string]bool
}

func NewRedactor() *redactor {
	return &redactor{names: map[string]string{}, taken: map[string]bool{}}
}

var notVariable = regexp.MustCompile(`[^A-Z0-9_]+`)

// reference is the ${env:NAME} that stands for the value of a credential; the value itself where nothing is hidden.
func (r *redactor) reference(name, value string) string {
	if r == nil {
		return value
	}
	key := name + "\x00" + value
	ref, ok := r.names[key]
	if !ok {
		ref = redactedPrefix + notVariable.ReplaceAllString(strings.ToUpper(name), "_")
		for i, base := 2, ref; r.taken[ref]; i++ {
			ref = fmt.Sprintf("%s_%d", base, i)
		}
		r.taken[ref] = true
		r.names[key] = ref
	}
	return "${env:" + ref + "}"
}

// Value is what may be written of the value of a header or variable.
func (r *redactor) Value(name, value string) string {
	if IsSecret(name, value) && len(EnvReferences(value)) == 0 {
		return r.reference(name, value)
	}
	return r.text(value)
}

var userInfo = regexp.MustCompile(`(://[^/\s:@{}$]*:)([^/\s@{}$]+)@`)

// parameter is a parameter of a query, such as ?token=x; a quote ends it, as
// where the URL stands in JSON.
var parameter = regexp.MustCompile("([?&])([^=&?#\\s\"'`<>]+)=([^&#\\s\"'`<>]+)")

// text hides the credentials in URLs: the password of redis://user:password@host,
// and the values of parameters such as ?token=x.
func (r *redactor) text(text string) string { return replaceCredentials(text, r.reference) }

// NameOf is what a request is called where nobody named it: names stand in every
// table, and cannot be filled in later.
func NameOf(request string) string {
	return replaceCredentials(request, func(string, string) string { return "…" })
}

// URLCredentials are the credentials in the URLs of a text, as they stand there
// and decoded.
func URLCredentials(text string) []string {
	var out []string
	replaceCredentials(text, func(_, value string) string {
		out = append(out, value)
		if plain, err := url.QueryUnescape(value); err == nil && plain != value {
			out = append(out, plain)
		}
		return ""
	})
	return out
}

// replaceCredentials puts by(name, value) where a credential stands in a URL.
func replaceCredentials(text string, by func(name, value string) string) string {
	text = userInfo.ReplaceAllStringFunc(text, func(found string) string {
		m := userInfo.FindStringSubmatch(found)
		return m[1] + by("password", m[2]) + "@"
	})
	return parameter.ReplaceAllStringFunc(text, func(found string) string {
		m := parameter.FindStringSubmatch(found)
		if !isSecretParameter(m[2], m[3]) || isFilledIn(m[3]) {
			return found
		}
		return m[1] + m[2] + "=" + by(m[2], m[3])
	})
}

// signature is what a parameter is called whose value is a credential in a URL,
// though it need not be one elsewhere.
var signature = regexp.MustCompile(`(?i)(^|[-_.])(sig|signature|pwd|jwt)$`)

func isSecretParameter(name, value string) bool {
	if plain, err := url.QueryUnescape(name); err == nil {
		name = plain
	}
	return IsSecret(name, value) || signature.MatchString(name)
}

// isFilledIn reports whether a value comes from the environment, from the run, or from
// request data, so that no credential stands here.
func isFilledIn(value string) bool {
	return len(EnvReferences(value)) > 0 || len(Placeholders(value)) > 0 || dataWord.MatchString(value)
}

var option = regexp.MustCompile(`^(--?([A-Za-z][A-Za-z0-9_.-]*)=)(.+)$`)

// words hides credentials among the words of a command: --token=x and --token x.
func (r *redactor) words(words []string) Inline[string] {
	out := make(Inline[string], len(words))
	for i, w := range words {
		out[i] = r.text(w)
		if m := option.FindStringSubmatch(w); m != nil && IsSecret(m[2], m[3]) && len(EnvReferences(m[3])) == 0 {
			out[i] = m[1] + r.reference(m[2], m[3])
			continue
		}
		if i > 0 && !strings.HasPrefix(w, "-") && strings.HasPrefix(words[i-1], "-") && len(EnvReferences(w)) == 0 {
			if name := strings.TrimLeft(words[i-1], "-"); !strings.Contains(name, "=") && IsSecret(name, w) {
				out[i] = r.reference(name, w)
			}
		}
	}
	return out
}
