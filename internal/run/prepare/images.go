// Images: found or pulled before the first run, and asked what a tracer has to fit.

package prepare

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/artifact"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/container"
	"github.com/tracetax/tracetax/internal/process"
)

// images returns the images of a plan's processes, by process.
func images(ctx context.Context, plan *config.Plan, progress io.Writer) (map[string]container.Image, error) {
	out := map[string]container.Image{}
	swept := map[string]bool{}
	for _, p := range plan.Processes {
		if p.Deployed != "" {
			return nil, fmt.Errorf("process %s is made of %s of a cluster: run it there (--target kubernetes --namespace NAME)", p.Name, p.Deployed)
		}
		if p.Image == "" {
			continue
		}
		engine, err := container.Find(ctx, p.Engine)
		if err != nil {
			return nil, fmt.Errorf("process %s: %w", p.Name, err)
		}
		if !swept[engine.Name] {
			swept[engine.Name] = true
			if err := engine.Sweep(ctx, process.Runs); err != nil {
				return nil, err
			}
		}
		image, err := container.Of(ctx, engine, p.Image, progress)
		if err != nil {
			return nil, fmt.Errorf("process %s: %w", p.Name, err)
		}
		if slices.Contains(p.Run, "{"+program.ImageWord+"}") && len(image.Command) == 0 {
			return nil, fmt.Errorf("process %s: image %s has no command of its own: write run", p.Name, p.Image)
		}
		out[p.Name] = image
	}
	return out, nil
}

// OwnCommand stands in a command for that of an image which only the node of a cluster knows.
const OwnCommand = "{" + program.ImageWord + "}"

// Asker runs a program of Python where a process in an image will be, and returns what it prints.
type Asker func(ctx context.Context, p program.Process, python string) (string, error)

// inImage asks images on this machine.
func inImage(all map[string]container.Image) Asker {
	return func(ctx context.Context, p program.Process, python string) (string, error) {
		return all[p.Name].Ask(ctx, "python3", "-c", python)
	}
}

// inPods returns what a variant has where the nodes of a cluster pull its images.
func inPods(ctx context.Context, open func() (*artifact.Store, error), ask Asker, t *program.Tracer, plan *config.Plan,
	progress io.Writer,
) (Folders, error) {
	f := Folders{Images: map[string]container.Image{}}
	for _, p := range plan.Processes {
		if p.InImage() {
			f.Images[p.Name] = container.Image{Name: p.Image, ID: p.Image, Command: []string{OwnCommand}}
		}
	}
	if !HasFolder(t, plan) {
		return f, nil
	}
	store, err := open()
	if err != nil {
		return f, err
	}
	if store, err = fitting(ctx, store, t, plan, ask); err != nil {
		return f, err
	}
	f.Tracer, err = Tracer(ctx, store, t, named("tracer "+t.Name, progress))
	return f, err
}

// fitting returns the store of packages for the images that a tracer of Python goes into; the given one if there are none.
func fitting(ctx context.Context, store *artifact.Store, t *program.Tracer, plan *config.Plan, ask Asker) (*artifact.Store, error) {
	if t.Artifact.Python == "" {
		return store, nil
	}
	if ask == nil {
		return nil, errors.New("its packages fit the Python of an image in a cluster, which a run there asks")
	}
	var found *artifact.Interpreter
	first := ""
	for _, p := range plan.Processes {
		if !p.Traced || !p.InImage() {
			continue
		}
		name := p.Name
		said, err := ask(ctx, p, artifact.AskPython)
		if err != nil {
			return nil, fmt.Errorf("the tracer %s needs Python in %s, which has to be python3 on its PATH: %w", t.Name, imageOf(p), err)
		}
		one, err := artifact.ParsePython(said)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", imageOf(p), err)
		}
		if found != nil && *found != one {
			return nil, fmt.Errorf("the images of the processes %s and %s have different Pythons (%s, %s), "+
				"and the packages of %s fit one of them: choose with on: which process is traced",
				first, name, found, one, t.Name)
		}
		found, first = &one, name
	}
	if found == nil {
		return store, nil
	}
	if slices.ContainsFunc(plan.Processes, func(p program.Process) bool {
		return p.Traced && !p.InImage() && p.Service == nil && !p.Brought()
	}) {
		return nil, errors.New("some of the traced processes run in images and others do not, and the packages of " + t.Name +
			" fit one of both: choose with on: which are")
	}
	return store.For(*found), nil
}

// imageOf names the image of a process.
func imageOf(p program.Process) string {
	if p.Image == "" {
		return "the image of " + p.Deployed
	}
	return "image " + p.Image
}

// inImages reports whether all processes that a variant traces run in images: they need no program of this machine.
func inImages(w *program.Workload, v config.Variant) bool {
	traced := 0
	for _, p := range w.Processes {
		if v.Traces(p) {
			if traced++; !p.InImage() {
				return false
			}
		}
	}
	return traced > 0
}

// enclosing describes the commands of a plan that have a container engine start the program, or reach one in a cluster: what
// they use themselves is not what the program uses.
func enclosing(e *config.Experiment) (missing []string) {
	for _, p := range e.Workload.Processes {
		if p.Image != "" || p.Service != nil {
			continue
		}
		commands := [][]string{p.Run, scripted(p.Run)}
		for _, command := range commands {
			if what, remedy := process.Enclosing(command); what != "" {
				missing = append(missing, fmt.Sprintf("process %s: its command is %s, whose own CPU and memory would be measured, "+
					"not those of the program: %s", p.Name, what, remedy))
				break
			}
		}
	}
	return missing
}

// outside returns those needs of a variant that this machine has to meet.
func outside(w *program.Workload, v config.Variant) []program.Need {
	needs := v.Needs()
	if !inImages(w, v) {
		return needs
	}
	runs := program.Programs[v.Tracer.Language]
	return slices.DeleteFunc(slices.Clone(needs), func(n program.Need) bool {
		fetches := v.Tracer.Artifact.Python != "" && strings.HasPrefix(n.Command, "python")
		return !fetches && slices.Contains(runs, n.Command)
	})
}
