// What must not be written into a file that is shown to others.
package spec

import (
	"fmt"
	"regexp"
	"strings"
)

var credential = regexp.MustCompile(`(?i)(^|[^a-z])(authorization|cookie|set-cookie|credentials?|bearer|auth)$|token|secret|passw(or)?d|api[-_.]?key|private[-_.]?key|access[-_.]?key`)

// isCredential reports whether the name of a header or variable looks as if its
// value were one.
func isCredential(name string) bool { return credential.MatchString(name) }

// redactor replaces credentials by references to the environment, so that the
// file can be repeated by who knows them.
type redactor struct {
	names map[string]string // by name and value
	taken map[string]bool
}

func newRedactor() *redactor {
	return &redactor{names: map[string]string{}, taken: map[string]bool{}}
}

var notVariable = regexp.MustCompile(`[^A-Z0-9_]+`)

// reference is the ${env:NAME} that stands for the value of a credential.
func (r *redactor) reference(name, value string) string {
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

// value is what may be written of the value of a header or variable.
func (r *redactor) value(name, value string) string {
	if value != "" && isCredential(name) && len(envReferences(value)) == 0 {
		return r.reference(name, value)
	}
	return r.text(value)
}

var userInfo = regexp.MustCompile(`(://[^/\s:@{}$]*:)([^/\s@{}$]+)@`)

// text hides the password in URLs such as redis://user:password@host.
func (r *redactor) text(text string) string {
	return userInfo.ReplaceAllStringFunc(text, func(found string) string {
		m := userInfo.FindStringSubmatch(found)
		return m[1] + r.reference("password", m[2]) + "@"
	})
}

var option = regexp.MustCompile(`^(--?([A-Za-z][A-Za-z0-9_.-]*)=)(.+)$`)

// words hides credentials among the words of a command: --token=x and --token x.
func (r *redactor) words(words []string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = r.text(w)
		if m := option.FindStringSubmatch(w); m != nil && isCredential(m[2]) && len(envReferences(m[3])) == 0 {
			out[i] = m[1] + r.reference(m[2], m[3])
			continue
		}
		if i > 0 && !strings.HasPrefix(w, "-") && strings.HasPrefix(words[i-1], "-") && len(envReferences(w)) == 0 {
			if name := strings.TrimLeft(words[i-1], "-"); !strings.Contains(name, "=") && isCredential(name) {
				out[i] = r.reference(name, w)
			}
		}
	}
	return out
}
