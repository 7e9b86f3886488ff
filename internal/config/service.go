// Services: servers that several workloads use, such as a database. A process of a
// workload that names one is that service's process, with the workload's own keys.

package config

import (
	"maps"
	"slices"
	"strconv"
	"strings"
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

// Settings of services: what a hop may choose, and what follows from that.

// hopKeys are the keys of a hop; a service's setting cannot be called so.
var hopKeys = []string{"service", "config", "program", "env", "cpus", "memory", "tap"}

// serviceSettings reads the settings of a service.
func (s *source) serviceSettings(n *node, known []string) []Setting {
	s.serving = true
	out := s.settings(n, known)
	s.serving = false
	names := namesOf(out)
	for i, set := range out {
		at := n.entries[i].value
		if slices.Contains(hopKeys, set.Name) {
			s.fail(n.entries[i].at, "a setting cannot be called %q: the word means something else in a hop", set.Name)
		}
		if set.Meaning == "sampling" {
			s.fail(at.get("meaning").at, "the share that a tracer records is its meaning sampling; what a service leaves out it says itself (says: sampled)")
		}
		for _, word := range slices.Sorted(maps.Keys(set.Choices)) {
			for _, other := range set.Choices[word].Without {
				if !slices.Contains(names, other) || other == set.Name {
					s.fail(at.at, "choice %q of %s: %s", word, set.Name, unknown("setting", printable(other), without(names, set.Name)))
				}
			}
		}
	}
	return out
}

// settingWords are the words of settings that are not read yet, nil where there are none.
func settingWords(n *node) []string {
	var out []string
	if n == nil {
		return nil
	}
	for _, e := range n.entries {
		for _, word := range valuePlaceholders {
			out = append(out, settingPrefix+e.key+strings.TrimPrefix(word, "value"))
		}
	}
	return out
}

// process is the service's process as somebody has it who chose these settings; the others are as the service's file says.
func (v *Service) process(chosen map[string]string) Process {
	p := v.Process
	p.Service, p.Settings = v, chosen
	p.Run, p.Env = slices.Clone(p.Run), maps.Clone(p.Env)
	values := v.values(chosen)
	for _, set := range v.Settings {
		env, _, _ := set.environment(values[set.Name])
		maps.Copy(p.Env, env)
	}
	words := wordsOfSettings(v.Settings, values)
	fill := func(text string) string { filled, _ := withSettings(text, words); return filled }
	for i := range p.Run {
		p.Run[i] = fill(p.Run[i])
	}
	for name, text := range p.Env {
		p.Env[name] = fill(text)
	}
	p.Dir, p.Ready = fill(p.Dir), fill(p.Ready)
	return p
}

// values are those of all settings.
func (v *Service) values(chosen map[string]string) map[string]string {
	out := map[string]string{}
	for _, set := range v.Settings {
		out[set.Name] = set.Default
	}
	maps.Copy(out, chosen)
	return out
}

// mute are the settings that say nothing beside the values of others, by name, each with the setting for which that is so.
func (v *Service) mute(values map[string]string) map[string]string {
	out := map[string]string{}
	for _, set := range v.Settings {
		for _, name := range set.Choices[values[set.Name]].Without {
			out[name] = set.Name
		}
	}
	return out
}

// Holds is the longest time that a hop holds a span back. A configuration of the user's own may do what a setting that was
// chosen says, whatever the others are.
func (p Process) Holds() time.Duration {
	if p.Copy != nil && !p.Copy.Varies {
		return p.Service.Delay + max(p.Copy.Holds, p.chosenDelay())
	}
	sum := p.Service.Delay
	values := p.Service.values(p.Settings)
	mute := p.Service.mute(values)
	for _, set := range p.Service.Settings {
		value := values[set.Name]
		sum += set.Choices[value].Delay
		if set.Meaning != "delay" || mute[set.Name] != "" && p.Settings[set.Name] == "" {
			continue
		}
		if d, err := time.ParseDuration(value); err == nil {
			sum += d
		}
	}
	return sum
}

// chosenDelay is the longest time that the settings say which the user has chosen.
func (p Process) chosenDelay() time.Duration {
	var sum time.Duration
	for _, set := range p.Service.Settings {
		if d, err := time.ParseDuration(p.Settings[set.Name]); set.Meaning == "delay" && err == nil {
			sum += d
		}
	}
	return sum
}

// chooseOf reads the value of a setting of a hop.
func (s *source) chooseOf(hop *Process, set Setting, n *node) {
	value, err := set.canonical(s.line(n))
	if err != nil {
		s.fail(n.at, "setting %s of service %s: %v", set.Name, hop.Service.Name, err)
		return
	}
	if hop.Settings == nil {
		hop.Settings = map[string]string{}
	}
	hop.Settings[set.Name] = value
}

// meant complains of settings that say nothing beside others. To a configuration of the user's own they say what it makes of them.
func (s *source) meant(n *node, hop Process) {
	if n.get("config") != nil {
		return
	}
	values := hop.Service.values(hop.Settings)
	mute := hop.Service.mute(values)
	for _, name := range slices.Sorted(maps.Keys(hop.Settings)) {
		if by := mute[name]; by != "" {
			s.fail(n.get(name).at, "%s says nothing with %s: %s (of service %s); leave it out, or choose another %s", name, by, values[by], hop.Service.Name, by)
		}
	}
}

// What a hop holds back: how long, and how many traces at once.

// MeaningRoom is the meaning of a service's setting which says how many traces it holds.
const MeaningRoom = "room"

// Waits is the longest time that one of the hop's settings says that it holds a span.
func (p Process) Waits() time.Duration {
	var longest time.Duration
	p.eachSetting("delay", func(value string) {
		if d, err := time.ParseDuration(value); err == nil {
			longest = max(longest, d)
		}
	})
	return longest
}

// Room is how many traces the hop holds at once; 0 where it does not say.
func (p Process) Room() int {
	room := 0
	p.eachSetting(MeaningRoom, func(value string) {
		if n, err := strconv.Atoi(value); err == nil {
			room = n
		}
	})
	return room
}

// eachSetting gives the values of the hop's settings of a meaning that say something beside the others.
func (p Process) eachSetting(meaning string, take func(value string)) {
	if p.Service == nil {
		return
	}
	values := p.Service.values(p.Settings)
	mute := p.Service.mute(values)
	for _, set := range p.Service.Settings {
		if set.Meaning == meaning && (mute[set.Name] == "" || p.Settings[set.Name] != "") {
			take(values[set.Name])
		}
	}
}
