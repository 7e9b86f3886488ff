// What the functions of a profile are called: the package, or the library, before the function.

package view

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/tracetax/tracetax/internal/profile"
)

// betweenNames stands between a package and a function: "opentelemetry.sdk.trace · Span.end".
const betweenNames = " · "

// packageParts are the most parts of a package's name that are shown: the first.
const packageParts = 3

// frameName is a function with its package before it, and where it is from, which has what the name leaves out.
func frameName(f profile.Frame) (name, from string) {
	of, function := packageOf(f)
	if of == "" {
		return f.Name, f.File
	}
	from = f.File
	if !strings.HasSuffix(f.Name, function) || len(function) < len(f.Name) { // the package was a part of the name
		from = strings.TrimSpace(f.Name + " " + f.File)
	}
	return of + betweenNames + function, from
}

// packageOf tells the package of a function from the rest of its name, by the language's habits; "" where neither its name nor its
// file has one.
func packageOf(f profile.Frame) (of, function string) {
	switch {
	case f.Name == "":
		return "", ""
	case strings.HasPrefix(f.File, "["): // [kernel.kallsyms], [vdso]
		of, _, _ = strings.Cut(strings.Trim(f.File, "[]"), ".")
		return of, f.Name
	case strings.HasPrefix(f.File, "node:"):
		return strings.Replace(f.File, "internal/", "", 1), f.Name
	case strings.Contains(f.File, "node_modules/"):
		return moduleIn(f.File), f.Name
	case strings.HasSuffix(f.File, ".py"):
		return firstParts(moduleOf(f.File), "."), f.Name
	case strings.HasPrefix(f.File, "<frozen "):
		return strings.TrimSuffix(strings.TrimPrefix(f.File, "<frozen "), ">"), f.Name
	case strings.Contains(f.Name, "::"):
		return pathOf(f.Name)
	case strings.Contains(path.Base(f.File), ".so"):
		of, _, _ = strings.Cut(path.Base(f.File), ".so")
		return of, f.Name
	}
	if of, function = classOf(f.Name); of != "" || f.File == "" {
		return of, function
	}
	return goPackage(f.Name)
}

// moduleIn is the last module that a file of Node's lies in: "@opentelemetry/sdk-trace-base".
func moduleIn(file string) string {
	_, inside, _ := cutLast(file, "node_modules/")
	parts := strings.SplitN(inside, "/", 3)
	if strings.HasPrefix(inside, "@") && len(parts) > 2 {
		return parts[0] + "/" + parts[1]
	}
	return parts[0]
}

// pythonRoot is what comes before the packages in a path: the folders of installed ones, of the language's own, and of the cache of
// those that tracetax installs.
var pythonRoot = regexp.MustCompile(`^.*(?:/(?:site|dist)-packages/|/python[0-9.]+/|/python/[0-9a-f]{16,}/|^/cache/)`)

// moduleOf is the module of a file of Python's: "opentelemetry.sdk.trace"; of the program's own files the last name alone.
func moduleOf(file string) string {
	inside := pythonRoot.ReplaceAllString(file, "")
	if path.IsAbs(inside) {
		inside = path.Base(strings.TrimSuffix(inside, "/__init__.py"))
	}
	return strings.ReplaceAll(strings.TrimSuffix(strings.TrimSuffix(inside, ".py"), "/__init__"), "/", ".")
}

// pathOf splits a name of Rust's before its last function or method. C++ has as many, of classes: what is no lower case is none of
// a package.
func pathOf(name string) (of, function string) {
	parts := strings.Split(name, "::")
	n := slices.IndexFunc(parts, func(part string) bool { return part == "" || !unicode.IsLower([]rune(part)[0]) })
	if n < 0 {
		n = len(parts) - 1
	}
	return strings.Join(parts[:min(n, packageParts)], "::"), strings.Join(parts[n:], "::")
}

// domains are what the packages of Java begin with and nobody reads.
var domains = []string{"io", "com", "org", "net", "co", "dev"}

// classOf splits a method of Java's before its class: "java.lang" and "Thread.run".
func classOf(name string) (of, function string) {
	parts := strings.Split(name, ".")
	class := slices.IndexFunc(parts, func(part string) bool { return part != "" && unicode.IsUpper([]rune(part)[0]) })
	lower := func(part string) bool {
		return part != "" && strings.Trim(part, "abcdefghijklmnopqrstuvwxyz0123456789_") == ""
	}
	if class < 2 || class == len(parts)-1 || slices.ContainsFunc(parts[:class], func(part string) bool { return !lower(part) }) {
		return "", name
	}
	if class > 1 && slices.Contains(domains, parts[0]) {
		return strings.Join(parts[1:min(class, 1+packageParts)], "."), strings.Join(parts[class:], ".")
	}
	return strings.Join(parts[:min(class, packageParts)], "."), strings.Join(parts[class:], ".")
}

// goPackage splits a function of Go's behind its import path, without the host: "otel/sdk/trace" and "snapshot.Parent".
func goPackage(name string) (of, function string) {
	host, inside, _ := cutLast(name, "/")
	last, function, cut := strings.Cut(inside, ".")
	if host == "" && inside == "" { // no /
		last, function, cut = strings.Cut(name, ".")
	}
	if !cut || function == "" || strings.ContainsAny(last, " (<") {
		return "", name
	}
	parts := append(strings.FieldsFunc(host, func(r rune) bool { return r == '/' }), last)
	switch {
	case len(parts) > 2 && strings.HasPrefix(parts[0], "github."):
		parts = parts[2:]
	case len(parts) > 1 && strings.Contains(parts[0], "."):
		parts = parts[1:]
	}
	function = strings.NewReplacer("(*", "", ").", ".").Replace(function)
	return strings.Join(parts[:min(len(parts), packageParts)], "/"), function
}

// firstParts are the first parts of a name.
func firstParts(name, between string) string {
	parts := strings.Split(name, between)
	return strings.Join(parts[:min(len(parts), packageParts)], between)
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return "", "", false
}
