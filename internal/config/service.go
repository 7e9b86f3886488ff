// Services: servers that several workloads use, such as a database. A process of a
// workload that names one is that service's process, with the workload's own keys.

package config

import (
	"slices"
	"time"

	"github.com/tracetax/tracetax/internal/protocol"
	"github.com/tracetax/tracetax/internal/role"
)

// servicePlaceholders may stand in the texts of a service.
var servicePlaceholders = append(slices.Clone(runPlaceholders), "config", protocol.CopiesGRPC, protocol.CopiesHTTP)

// ParseService reads a service file. File is its name for errors.
func ParseService(file, name string, text []byte) (*Service, error) {
	s := &source{file: file}
	root := parseYAML(s, text)
	if root == nil {
		return nil, s.err()
	}
	service := s.service(root, name)
	if err := s.err(); err != nil {
		return nil, err
	}
	return service, nil
}

// service reads the mapping of a service: some of a workload's keys, and those of
// one process.
func (s *source) service(n *node, name string) *Service {
	service := &Service{Name: name, Process: Process{Role: role.Database, Patience: DefaultPatience, Env: map[string]string{}}}
	var traced *bool
	known := slices.Concat(servicePlaceholders, settingWords(n.get("settings")))
	keys := s.processFields(&service.Process, &traced, known)
	keys["role"] = func(v *node) { service.Process.Role = s.serviceRole(v) }
	keys["build"] = func(v *node) { service.Build = s.build(v) }
	keys["artifact"] = func(v *node) { service.Artifact = s.artifact(v) }
	keys["answers"] = func(v *node) { service.Answers = s.answers(v, known) }
	keys["receives"] = func(v *node) { service.Receives = s.receives(v) }
	keys["config"] = func(v *node) { service.Config = s.line(v); s.placeholders(v.at, service.Config, runPlaceholders) }
	keys["components"] = func(v *node) { service.Components = s.components(v) }
	keys["delay"] = func(v *node) { service.Delay = s.duration(v, 0, 10*time.Minute) }
	keys["metrics"] = func(v *node) { service.Metrics = s.page(v) }
	keys["says"] = func(v *node) { service.Says = s.says(v, serviceSays) }
	keys["hop"] = func(v *node) { service.Hop = s.serviceHop(n, v, name) }
	keys["description"] = func(v *node) { service.Description = s.text(v) }
	keys["needs"] = func(v *node) { service.Needs = s.needs(v) }
	keys["settings"] = func(v *node) { service.Settings = s.serviceSettings(v, known) }
	if !s.mapping(n, "a service", keys) {
		return service
	}
	if service.Configs = []string{service.Config}; service.Hop != nil {
		service.Configs = append(service.Configs, service.Hop.Config)
		service.Hop.Configs = service.Configs
	}
	service.Process.settle(traced)
	service.Needs = service.Artifact.needs(service.Needs)
	if service.Artifact != (Artifact{}) && len(service.Build.Run) > 0 {
		s.fail(n.get("build").at, "a service has artifact or build: {build} is the folder of either")
	}
	s.paged(n, "service", service.Metrics, service.Says)
	if n.get("run") == nil {
		s.lacks(n, "run", n.at, "a service needs run: the command that starts it")
	}
	return service
}

// serviceHop is the service where spans pass through it: the keys of hop stand in place of its own.
func (s *source) serviceHop(n, hop *node, name string) *Service {
	if hop.kind != mapping {
		s.fail(hop.at, "hop has keys of a service, which stand in place of its own where spans pass through it; this is %s", hop.kind)
		return nil
	}
	for _, key := range []string{"hop", "answers"} {
		if has := hop.get(key); has != nil {
			s.fail(has.at, "hop has no %s: nothing ends where spans pass through", key)
			return nil
		}
	}
	merged := &node{at: n.at, kind: mapping, entries: slices.Clone(hop.entries)}
	for _, e := range n.entries {
		if e.key != "hop" && e.key != "answers" && hop.get(e.key) == nil {
			merged.entries = append(merged.entries, e)
		}
	}
	return s.service(merged, name)
}

// ofService is the process of the service that n names, to which a workload adds
// its own keys. Where there is none, s has a problem.
func (s *source) ofService(n *node) (Process, bool) {
	name := s.line(n)
	if s.services == nil {
		s.fail(n.at, "service %q: there is no place here where services are looked up", printable(name))
		return Process{}, false
	}
	service, err := s.services(name)
	if err != nil {
		s.fail(n.at, "%v", err)
		return Process{}, false
	}
	return service.process(nil), true
}

// services are the services of the workload's processes, each once.
func (w *Workload) services() []*Service {
	var out []*Service
	for _, p := range w.Processes {
		if p.Service != nil && !slices.ContainsFunc(out, func(s *Service) bool { return s.Name == p.Service.Name }) {
			out = append(out, p.Service)
		}
	}
	return out
}

// serviceRole reads the role of a service: that of a process, or the harness's own of one that only counts.
func (s *source) serviceRole(n *node) role.Role {
	if n.text == string(role.Sink) {
		return role.Sink
	}
	return s.role(n)
}
