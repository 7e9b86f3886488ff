// Processes in containers: what of this machine they see, and the variables of their image.

package run

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/container"
	"github.com/tracetax/tracetax/internal/process"
	"github.com/tracetax/tracetax/internal/run/prepare"
	"github.com/tracetax/tracetax/internal/run/profiler"
)

// enclosure is what processes in containers have of a run.
type enclosure struct {
	folders         prepare.Folders
	scratch, memory string
	profilers       profiler.Packages // that are loaded into processes; nil: none is to be
}

// shell returns the variables that stand behind those of a process: the user's, or those of its image.
func (e enclosure) shell(p program.Process, users []string) []string {
	if p.InImage() {
		return e.folders.Images[p.Name].Env
	}
	return users
}

// command returns the command of a process, with that of its image in its place.
func (e enclosure) command(p program.Process) []string {
	var out []string
	for _, word := range p.Run {
		if !p.InImage() || word != "{"+program.ImageWord+"}" {
			out = append(out, word)
			continue
		}
		for _, own := range e.folders.Images[p.Name].Command {
			out = append(out, program.Literal(own))
		}
	}
	return out
}

// contain puts a command into the container of a process; without an image it changes nothing.
func (e enclosure) contain(p program.Process, c process.Command, values map[string]string) process.Command {
	if !p.InImage() {
		return c
	}
	image := e.folders.Images[p.Name]
	if p.Dir == "" {
		c.Dir = "" // the image's
	}
	c.Container = &process.Container{Engine: image.Engine, Image: image.ID, Folder: e.scratch, Mounts: e.mounts(p, c, values)}
	return c
}

// mounts returns the folders that a process in a container needs: those of its tracer, and those that its texts name.
func (e enclosure) mounts(p program.Process, c process.Command, values map[string]string) []container.Mount {
	texts := slices.Concat(c.Args, c.Env, []string{c.Dir})
	named := func(folder string) bool {
		return folder != "" && slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(text, folder) })
	}
	var out []container.Mount
	add := func(folder string, write bool) {
		if folder != "" && !slices.ContainsFunc(out, func(m container.Mount) bool { return m.Dir == folder }) {
			out = append(out, container.Mount{Dir: folder, Write: write})
		}
	}
	folders := e.folders
	if p.Traced {
		add(folders.Tracer, false)
	}
	for _, name := range slices.Sorted(maps.Keys(e.profilers)) {
		add(e.profilers[name].Folder, false)
		add(e.scratch, true) // they write there
	}
	for _, folder := range []string{folders.Tracer, folders.Workload, values["build"]} {
		if named(folder) {
			add(folder, false)
		}
	}
	if dir := folders.Source; named(dir + string(filepath.Separator)) {
		add(dir, false)
	}
	for _, folder := range []string{e.scratch, e.memory} {
		if named(folder) {
			add(folder, true)
		}
	}
	return out
}
