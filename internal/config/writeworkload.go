// The user's own workloads as YAML.

package config

import (
	"maps"
	"slices"
)

func (w writer) workload(wl *Workload) pairs {
	var p pairs
	p.text("name", wl.Name)
	p.text("language", wl.Language)
	p.text("description", wl.Description)
	p.text("dir", wl.Dir)
	if wl.Rate > 0 {
		p.add("rate", formatRate(wl.Rate))
	}
	if len(wl.Needs) > 0 {
		p.add("needs", needsOf(wl.Needs))
	}
	if wl.Artifact != (Artifact{}) {
		p.add("artifact", wl.Artifact.pairs())
	}
	if wl.Driver == SelfDriving {
		p.add("self", true)
	} else {
		p.text("driver", string(wl.Driver))
	}
	if len(wl.Max) > 0 {
		var most pairs
		for _, key := range slices.Sorted(maps.Keys(wl.Max)) {
			most.add(key, wl.Max[key])
		}
		p.add("max", most)
	}
	if len(wl.Verify) > 0 {
		p.add("verify", single("run", w.words(wl.Verify)))
	}
	if len(wl.Prepare) > 0 {
		p.add("prepare", w.words(wl.Prepare))
	}
	if len(wl.Cleanup) > 0 {
		p.add("cleanup", w.words(wl.Cleanup))
	}
	if len(wl.Build) > 0 {
		p.add("build", w.builds(wl.Build))
	}
	processes := make([]pairs, len(wl.Processes))
	for i, process := range wl.Processes {
		processes[i] = w.process(process)
	}
	p.add("processes", processes)
	var operations pairs
	for _, o := range wl.Operations {
		if !wl.Driver.Row().Generator {
			operations.add(o.Name, drivenOf(o))
			continue
		}
		operations.add(o.Name, w.operation(o))
	}
	p.add("operations", operations)
	return p
}

func (a Artifact) pairs() pairs {
	var p pairs
	p.text("python", a.Python)
	p.text("maven", a.Maven)
	p.text("npm", a.NPM)
	p.text("nuget", a.NuGet)
	return p
}

// drivenOf is an operation of a self-driving workload.
func drivenOf(o Operation) pairs {
	var p pairs
	p.text("description", o.Description)
	p.text("process", o.Process)
	if o.Rate != 0 {
		p.add("rate", formatRate(o.Rate))
	}
	if len(o.Spans) > 0 {
		p.add("spans", spansOf(o.Spans))
	}
	if len(o.Drive) > 0 {
		var drive pairs
		for _, word := range slices.Sorted(maps.Keys(o.Drive)) {
			drive.add(word, o.Drive[word])
		}
		p.add("drive", drive)
	}
	if o.Empty {
		p.add("empty", true)
	}
	return p
}

func needsOf(needs []Need) []pairs {
	out := make([]pairs, len(needs))
	for i, n := range needs {
		var p pairs
		p.text("command", n.Command)
		p.text("also", n.Also)
		p.text("install", n.Install)
		p.text("reason", n.Reason)
		out[i] = p
	}
	return out
}

func (w writer) builds(builds map[string]Build) pairs {
	var p pairs
	for _, tracer := range slices.Sorted(maps.Keys(builds)) {
		var b pairs
		b.add("run", inline[[]string](builds[tracer].Run))
		if len(builds[tracer].Env) > 0 {
			b.add("env", w.env(builds[tracer].Env))
		}
		p.add(orDefault(tracer), b)
	}
	return p
}

// orDefault is the key of a mapping by tracer in a file.
func orDefault(tracer string) string {
	if tracer == "" {
		return "default"
	}
	return tracer
}

func (w writer) process(process Process) pairs {
	var p pairs
	p.add("name", process.Name)
	if process.Service != nil {
		p.add("service", process.Service.Name)
	}
	p.add("role", string(process.Role))
	p.add("run", w.words(process.Run))
	if len(process.Env) > 0 {
		p.add("env", w.env(process.Env))
	}
	p.text("dir", process.Dir)
	p.text("ready", w.redactor.text(process.Ready))
	p.duration("patience", process.Patience)
	if process.CPUs > 0 {
		p.add("cpus", process.CPUs)
	}
	if process.Memory > 0 {
		p.add("memory", formatSize(process.Memory))
	}
	p.add("traced", process.Traced)
	return p
}

func (w writer) operation(o Operation) pairs {
	var p pairs
	p.text("description", o.Description)
	switch {
	case len(o.Then) > 0:
		var steps []pairs
		for _, step := range o.steps() {
			steps = append(steps, w.step(step))
		}
		p.add("steps", steps)
	case o.GRPC:
		p.add("grpc", w.redactor.text(o.URL))
	default:
		p.add("request", o.Method+" "+w.redactor.text(o.URL))
	}
	if o.Insecure {
		p.add("insecure", true)
	}
	p.text("data", o.Data)
	p.text("order", o.Order)
	p.text("protoset", o.Protoset)
	p.text("process", o.Process)
	if len(o.Then) == 0 {
		w.asked(&p, o.Headers, o.Body, o.Status)
	}
	if o.Timeout != 0 {
		p.duration("timeout", o.Timeout)
	}
	if o.Rate != 0 {
		p.add("rate", formatRate(o.Rate))
	}
	if len(o.Spans) > 0 {
		p.add("spans", spansOf(o.Spans))
	}
	return p
}

func spansOf(spans map[string]Number) pairs {
	var p pairs
	for _, tracer := range slices.Sorted(maps.Keys(spans)) {
		n := spans[tracer]
		if n.High == n.Low {
			p.add(orDefault(tracer), n.Low)
			continue
		}
		p.add(orDefault(tracer), formatNumber(n.Low)+".."+formatNumber(n.High))
	}
	return p
}
