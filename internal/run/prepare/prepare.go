// Package prepare owns what is made ready before a variant's processes are started: what
// they need of this machine, of packages and of builds, and then, for each run, their
// scratch folder, the files that are filled in, the environment, and whether the ports that
// they name are free. It must not know processes, nor what is measured.
package prepare

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/artifact"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/container"
	"github.com/tracetax/tracetax/internal/sink"
)

// Prepared is a variant that can be run.
type Prepared struct {
	Plan        *config.Plan
	Calibration *config.Plan // the same with every span sampled, and no hop between, to learn the spans of operations
	Folders     Folders
	Digests     map[string]string // of built and fetched files: build, workload, tracer; and source, the files of a built-in workload
}

// UnreadyError reports that a variant cannot be made ready on this machine: something is missing, refused by a registry, or
// does not build. Other variants may be ready.
type UnreadyError struct {
	Variant string
	Reason  error
}

func (e *UnreadyError) Error() string {
	return fmt.Sprintf("variant %s cannot run here: %v", e.Variant, e.Reason)
}

// Unwrap returns the reason.
func (e *UnreadyError) Unwrap() error { return e.Reason }

// Variant checks a variant's needs, fetches its packages and builds its programs, or takes them from the cache, which open
// opens. What they fit is asked in the images of its processes, by ask where they are not on this machine. On an *UnreadyError
// leave the variant out.
func Variant(ctx context.Context, open func() (*artifact.Store, error), ask Asker, e *config.Experiment, v config.Variant, progress io.Writer,
) (Prepared, error) {
	var p Prepared
	var err error
	if p.Plan, err = e.Plan(v); err != nil {
		return p, err
	}
	if p.Calibration, err = e.Plan(fullySampled(v, p.Plan).Direct()); err != nil {
		return p, err
	}
	if missing := Missing(e, v); len(missing) > 0 {
		return p, &UnreadyError{v.Name, errors.New(strings.Join(missing, "; "))}
	}
	w := e.Workload
	if e.Target.Kubernetes.Is() {
		p.Folders, err = inPods(ctx, open, ask, v.Tracer, p.Plan, progress)
	} else {
		if err := FreePorts(p.Plan); err != nil {
			return p, fmt.Errorf("variant %s cannot run now: %w", v.Name, err)
		}
		p.Folders, err = fetch(ctx, open, w, v.Tracer, p.Plan, progress)
	}
	switch {
	case ctx.Err() != nil:
		return p, context.Cause(ctx)
	case err != nil:
		return p, &UnreadyError{v.Name, err}
	}
	if err := p.Folders.nothing(p.Plan); err != nil {
		return p, err
	}
	p.Digests = p.Folders.digests()
	if w.Files != nil && p.Folders.Source != "" {
		p.Digests["source"] = filepath.Base(p.Folders.Source)
	}
	return p, nil
}

// Missing lists in words the needs of a variant that this machine lacks.
func Missing(e *config.Experiment, v config.Variant) []string {
	w := e.Workload
	if e.Target.Kubernetes.Is() { // the nodes pull images
		return append(artifact.Missing(outside(w, v)), unreceived(e, v)...)
	}
	if why := v.Elsewhere(); why != "" {
		return []string{why}
	}
	missing := append(artifact.Missing(w.Needs), artifact.Missing(outside(w, v))...)
	missing = append(append(missing, absent(e, v)...), enclosing(e)...)
	missing = append(missing, unreceived(e, v)...)
	for _, p := range slices.Concat(w.Processes, v.Route()) {
		if p.Service != nil {
			missing = append(missing, artifact.Missing(p.Service.Needs)...)
		}
		if lacking := container.Lacking(p.Engine); p.Image != "" && lacking != "" {
			missing = append(missing, lacking)
		}
	}
	var distinct []string
	for _, text := range missing {
		if !slices.Contains(distinct, text) {
			distinct = append(distinct, text)
		}
	}
	return distinct
}

// unreceived lists the protocols and the file formats of a variant's spans that this build cannot read.
func unreceived(e *config.Experiment, v config.Variant) (missing []string) {
	plan, err := e.Plan(v)
	if err != nil {
		return nil // reported where the plan is used
	}
	var errs []error
	for _, name := range Protocols(plan) {
		errs = append(errs, sink.Receives(name))
	}
	for format := range plan.Files {
		errs = append(errs, sink.ReadsFiles(format))
	}
	for _, err := range errs {
		if err != nil {
			missing = append(missing, err.Error())
		}
	}
	return missing
}

// Folders are the folders of a variant's programs; see Variant.
type Folders struct {
	Source   string            // the workload's folder: {dir}
	Build    string            // {build}
	Plain    string            // {build} of untraced processes; "": theirs is Build
	Workload string            // language packages of the workload: {workload}
	Tracer   string            // language packages of the tracer, or the folder of one that has none: {tracer}
	Service  map[string]string // by process: the files of its service: {service}
	Built    map[string]string // by process: the build of its service: its own {build}

	Images map[string]container.Image // by process
}

// nothing returns an error if the variant names a folder that does not exist: a program would look for its files at the root.
func (f Folders) nothing(plan *config.Plan) error {
	for _, one := range []struct{ word, folder, what string }{
		{"tracer", f.Tracer, "its tracer has no folder"},
		{"workload", f.Workload, "workload " + plan.Workload + " has no artifact"},
	} {
		if one.folder == "" && names(plan, one.word) {
			return fmt.Errorf("variant %s: {%s} stands for nothing: %s; write the whole path of what is meant", plan.Variant, one.word, one.what)
		}
	}
	return nil
}

// names reports whether a plan has the placeholder of a word.
func names(plan *config.Plan, word string) bool {
	for _, text := range slices.Concat(plan.Texts(), plan.Prepare, plan.Cleanup, plan.Verify) {
		if slices.Contains(program.Placeholders(text), word) {
			return true
		}
	}
	return false
}

// digests returns the digests of the folders' sources: the cache names each folder by its digest.
func (f Folders) digests() map[string]string {
	digests := map[string]string{}
	add := func(name, folder string) {
		if folder != "" {
			digests[name] = filepath.Base(folder)
		}
	}
	add("build", f.Build)
	add("plain build", f.Plain)
	add("workload", f.Workload)
	add("tracer", f.Tracer)
	for process, folder := range f.Service {
		add("service of "+process, folder)
	}
	for process, folder := range f.Built {
		add("build of "+process, folder)
	}
	for process, image := range f.Images {
		if image.ID != image.Name { // else only the nodes of a cluster know it
			add("image of "+process, image.ID)
		}
		add("image of "+process+" at its registry", image.Digest)
	}
	return digests
}

func fetch(ctx context.Context, open func() (*artifact.Store, error), w *program.Workload, t *program.Tracer, plan *config.Plan, progress io.Writer) (Folders, error) {
	f := Folders{Source: w.Dir}
	var err error
	if f.Images, err = images(ctx, plan, progress); err != nil {
		return f, err
	}
	services := slices.ContainsFunc(plan.Processes, func(p program.Process) bool { return p.Service != nil })
	needs := HasFolder(t, plan)
	if w.Files == nil && w.Artifact == (program.Artifact{}) && !needs && len(plan.Build.Run) == 0 && !services {
		return f, nil // nothing needs the cache, so it may be missing
	}
	store, err := open()
	if err != nil {
		return f, err
	}
	fits := store
	if needs {
		if fits, err = fitting(ctx, store, t, plan, inImage(f.Images)); err != nil {
			return f, err
		}
	}
	var errs [7]error
	if w.Files != nil {
		f.Source, errs[0] = store.Source(ctx, w.Files)
	}
	f.Workload, errs[1] = store.Artifact(ctx, w.Files, w.Artifact, named("workload "+w.Name, progress))
	if needs {
		f.Tracer, errs[2] = Tracer(ctx, fits, t, named("tracer "+t.Name, progress))
	}
	if len(plan.Build.Run) > 0 && errs[1] == nil && errs[2] == nil {
		folders, progress := map[string]string{"workload": f.Workload, "tracer": f.Tracer}, named(fmt.Sprintf("workload %s for %s", w.Name, t.Name), progress)
		f.Build, errs[3] = store.Build(ctx, artifact.BuildRequest{Files: w.Files, Commands: plan.Build.Run, Env: plan.Build.Env, Folders: folders}, progress)
		if len(plan.Plain.Run) > 0 && errs[3] == nil {
			f.Plain, errs[5] = store.Build(ctx, artifact.BuildRequest{Files: w.Files, Commands: plan.Plain.Run, Env: plan.Plain.Env, Folders: folders}, progress)
		}
	}
	f.Service, errs[4] = fetchServices(ctx, store, plan)
	f.Built, errs[6] = buildServices(ctx, store, plan, progress)
	return f, errors.Join(errs[:]...)
}

// HasFolder reports whether a tracer has files for the programs of a plan.
func HasFolder(t *program.Tracer, plan *config.Plan) bool {
	return made(t) || t.Files != nil && names(plan, "tracer")
}

// made reports whether a tracer's folder is fetched or built; that of others holds their own files.
func made(t *program.Tracer) bool { return t.Artifact != (program.Artifact{}) || len(t.Build.Run) > 0 }

// Tracer makes the folder that {tracer} stands for: the build of a tracer that has one, else its packages, else its own files.
func Tracer(ctx context.Context, store *artifact.Store, t *program.Tracer, progress io.Writer) (string, error) {
	if !made(t) {
		return store.Tracer(ctx, t.Files)
	}
	packages, err := store.Artifact(ctx, t.Files, t.Artifact, progress)
	if err != nil || len(t.Build.Run) == 0 {
		return packages, err
	}
	build := artifact.BuildRequest{Files: t.Files, Commands: t.Build.Run, Env: t.Build.Env, Folders: map[string]string{"tracer": packages}}
	return store.Build(ctx, build, progress)
}

// fetchServices writes out the files of the processes' services.
func fetchServices(ctx context.Context, store *artifact.Store, plan *config.Plan) (map[string]string, error) {
	folders := map[string]string{}
	for _, p := range plan.Processes {
		if p.Service == nil || p.Service.Files == nil {
			continue
		}
		var err error
		if folders[p.Name], err = store.Service(ctx, p.Service.Files); err != nil {
			return folders, fmt.Errorf("service %s: %w", p.Service.Name, err)
		}
	}
	return folders, nil
}

// buildServices builds the programs and fetches the packages of the services that have some.
func buildServices(ctx context.Context, store *artifact.Store, plan *config.Plan, progress io.Writer) (map[string]string, error) {
	built := map[string]string{}
	for _, p := range plan.Processes {
		if p.Service == nil || len(p.Service.Build.Run) == 0 && p.Service.Artifact == (program.Artifact{}) {
			continue
		}
		var err error
		if built[p.Name], err = BuildService(ctx, store, p.Service, progress); err != nil {
			return built, err
		}
	}
	return built, nil
}

// BuildService builds the program of a service, or fetches its packages. Its configurations are not part of the sources.
func BuildService(ctx context.Context, store *artifact.Store, s *program.Service, progress io.Writer) (string, error) {
	progress = named("service "+s.Name, progress)
	if s.Artifact != (program.Artifact{}) {
		dir, err := store.Artifact(ctx, s.Files, s.Artifact, progress)
		if err != nil {
			return "", fmt.Errorf("service %s: %w", s.Name, err)
		}
		return dir, nil
	}
	commands := s.Build.Run
	if path := artifact.Instead(s.Needs); path != "" {
		commands = [][]string{{"ln", "-s", path, s.Process.Run[0]}}
	}
	var configs []string
	for _, config := range s.Configs {
		configs = append(configs, strings.TrimPrefix(config, "{service}/"))
	}
	dir, err := store.Build(ctx, artifact.BuildRequest{Files: s.Files, Commands: commands, Env: s.Build.Env, Beside: configs}, progress)
	if err != nil {
		return "", fmt.Errorf("service %s: %w", s.Name, err)
	}
	return dir, nil
}

// fullySampled returns the variant with its sampling setting, if the tracer has one, at 100 %, and so with the variable that
// passes it to its programs.
func fullySampled(v config.Variant, plan *config.Plan) config.Variant {
	if slices.ContainsFunc(plan.Processes, func(p program.Process) bool { return p.Traced && p.Env[config.SamplerArgument] != "" }) && plan.Sampling > 0 {
		v.Env = maps.Clone(v.Env)
		if v.Env == nil {
			v.Env = map[string]string{}
		}
		v.Env[config.SamplerArgument] = "1"
	}
	v.Settings = maps.Clone(v.Settings)
	for _, setting := range v.Tracer.Settings {
		switch {
		case setting.Meaning == "sampling":
			v.Settings[setting.Name] = "100%"
		case setting.Choices[v.Settings[setting.Name]].Decides:
			v.Settings[setting.Name] = setting.Default
		}
	}
	return v
}

// named returns progress with a prefix for each line; nil if progress is nil.
func named(whose string, progress io.Writer) io.Writer {
	if progress == nil {
		return nil
	}
	return prefixed{whose, progress}
}

// prefixed puts a prefix before each line; each is written at once.
type prefixed struct {
	prefix string
	to     io.Writer
}

func (p prefixed) Write(line []byte) (int, error) {
	if _, err := fmt.Fprintf(p.to, "%s: %s", p.prefix, line); err != nil {
		return 0, err
	}
	return len(line), nil
}

// Made is something that Variant fetches or builds if the cache lacks it.
type Made struct {
	Kind string // python, maven, npm or nuget: pinned packages; build: a program
	Of   string // "workload requests/flask", "tracer otel-python", "service collector"
	From string // the file that pins the packages, or the folder of projects; for a build its commands
}

// Makes lists the things that a variant needs from the cache, except its own files.
func Makes(e *config.Experiment, v config.Variant) ([]Made, error) {
	plan, err := e.Plan(v)
	if err != nil {
		return nil, err
	}
	workload := "workload " + e.Workload.Name
	out := packagesOf(workload, e.Workload.Artifact)
	out = append(out, packagesOf("tracer "+v.Tracer.Name, v.Tracer.Artifact)...)
	out = append(out, buildOf("tracer "+v.Tracer.Name, v.Tracer.Build)...)
	out = append(out, buildOf(workload, plan.Build)...)
	out = append(out, buildOf(workload+" without the tracer", plan.Plain)...)
	for _, p := range plan.Processes {
		if p.Service != nil {
			out = append(out, packagesOf("service "+p.Service.Name, p.Service.Artifact)...)
			out = append(out, buildOf("service "+p.Service.Name, p.Service.Build)...)
		}
	}
	return out, nil
}

func packagesOf(of string, a program.Artifact) []Made {
	var out []Made
	for _, one := range []Made{{"python", of, a.Python}, {"maven", of, a.Maven}, {"npm", of, a.NPM}, {"nuget", of, a.NuGet}} {
		if one.From != "" {
			out = append(out, one)
		}
	}
	return out
}

func buildOf(of string, b program.Build) []Made {
	if len(b.Run) == 0 {
		return nil
	}
	commands := make([]string, len(b.Run))
	for i, words := range b.Run {
		commands[i] = strings.Join(words, " ")
	}
	return []Made{{"build", of, strings.Join(commands, "; ")}}
}

// Files of a tracer that are filled in for this run alone.

// Templates fills in the templates of a plan, by file name, and writes them to a folder.
func Templates(templates map[string]string, values map[string]string, folder string) error {
	for _, name := range slices.Sorted(maps.Keys(templates)) {
		text, err := program.Expand(templates[name], values)
		if err != nil {
			return fmt.Errorf("template %s: %w", name, err)
		}
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fmt.Errorf("making the folder for templates: %w", err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return fmt.Errorf("writing the template %s: %w", name, err)
		}
	}
	return nil
}
