package show

// This file is the page that show prints: its lines, and those that several kinds have.

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/artifact"
	"github.com/tracetax/tracetax/internal/config"
)

// page prints lines; the first error ends it.
type page struct {
	w   io.Writer
	err error
}

func (p *page) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format+"\n", args...)
	}
}

func (p *page) head(kind, name, language, description string) {
	if language != "" {
		language = " (" + language + ")"
	}
	p.line("%s %s%s", kind, name, language)
	if description != "" {
		p.line("  %s", oneLine(description))
	}
}

func (p *page) needs(needs []config.Need) {
	missing := artifact.Missing(needs)
	if len(missing) == 0 {
		p.line("\nruns here: yes")
		return
	}
	p.line("\nruns here: no")
	for _, m := range missing {
		p.line("  %s", m)
	}
}

func (p *page) env(indent string, env map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(env)) {
		p.line("%s%s=%s", indent, name, env[name])
	}
}

// appended prints variables to which something is added, after a space.
func (p *page) appended(indent string, env map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(env)) {
		p.line("%s%s=… %s", indent, name, env[name])
	}
}

// packages prints which files pin the packages of a workload or tracer.
func (p *page) packages(a config.Artifact) {
	var all []string
	for _, one := range []struct{ kind, lock string }{{"Python", a.Python}, {"Maven", a.Maven}, {"npm", a.NPM}, {"NuGet", a.NuGet}} {
		if one.lock != "" {
			all = append(all, fmt.Sprintf("%s (%s)", one.kind, one.lock))
		}
	}
	if len(all) > 0 {
		p.line("\npackages: %s", strings.Join(all, ", "))
	}
}
