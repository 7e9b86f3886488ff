// Services: servers that several workloads use, such as a database. A process of a
// workload that names one is that service's process, with the workload's own keys.

package program

import (
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tracetax/tracetax/internal/protocol"
	"github.com/tracetax/tracetax/internal/role"
)

// Service is a server for several workloads, such as a database: a folder services/NAME/ with a service.yaml. One that
// receives is a hop of spans. Its files are {service} in its own texts.
type Service struct {
	_           struct{}                 `called:"a service"`
	Name        string                   //
	Description string                   `yaml:"description" as:"text"`                                              // a line for 'tracetax list'
	Needs       []Need                   `yaml:"needs"`                                                              // programs of the PATH that it needs
	Process     Process                  `yaml:",inline"`                                                            // its Name is empty; a workload's own keys win over it, its env is merged
	Build       Build                    `yaml:"build"`                                                              // commands that make it, run once in a copy of the folder; {build} is the service's own
	Artifact    Artifact                 `yaml:"artifact"`                                                           // instead of a build: pinned packages, in {build}
	Settings    []Setting                `yaml:"settings" as:"named"`                                                // what its user chooses, for run, env and ready
	Receives    map[protocol.Name]string `yaml:"receives" as:"receives" words:"run"`                                 // by protocol (of {sink.…}): where it takes spans in, host:port
	Components  Components               `yaml:"components" as:"components"`                                         // of a Collector: the types that a configuration may name, which is copied with the addresses of the run
	Config      string                   `yaml:"config" as:"filled" words:"run"`                                     // the default {config}
	Delay       time.Duration            `yaml:"delay" range:"0s..10m"`                                              // longest time that it holds a span; adds to the tracer's
	Metrics     string                   `yaml:"metrics" as:"page" words:"run"`                                      // its page of counters, in Prometheus' text format
	Says        []Saying                 `yaml:"says" example:"[{what: dropped, log: 'dropped (?P<n>\\d+) spans'}]"` // what it says of spans
	Answers     Answers                  `yaml:"answers"`                                                            // makes a backend one for to: how it is asked for its spans
	Hop         *Service                 `yaml:"hop" as:"hop"`                                                       // keys in place of these where spans pass through it (via)
	Configs     []string                 // Config of all its forms: by itself and as a hop
	Files       fs.FS
}

func (v *Service) Begin(s *Source, n *Node) {
	v.Process.Role, v.Process.Patience, v.Process.Env = role.Database, DefaultPatience, map[string]string{}
	s.In, s.Known = inService, slices.Concat(servicePlaceholders, settingWords(n.Get("settings")))
}

func (v *Service) Finish(s *Source, n *Node) {
	v.checkSettings(s, n.Get("settings"))
	if hop := n.Get("hop"); hop != nil {
		v.Hop = s.serviceHop(n, hop, v.Name)
	}
	if v.Configs = []string{v.Config}; v.Hop != nil {
		v.Configs = append(v.Configs, v.Hop.Config)
		v.Hop.Configs = v.Configs
	}
	v.Process.mayTrace(n)
	v.Needs = v.Artifact.needs(v.Needs)
	if v.Artifact != (Artifact{}) && len(v.Build.Run) > 0 {
		s.Fail(n.Get("build").At, "a service has artifact or build: {build} is the folder of either")
	}
	s.paged(n, "service", v.Metrics, v.Says)
	if n.Get("run") == nil {
		s.Lacks(n, "run", n.At, "a service needs run: the command that starts it")
	}
}

// servicePlaceholders may stand in the texts of a service.
var servicePlaceholders = append(slices.Clone(runPlaceholders), "config", protocol.CopiesGRPC, protocol.CopiesHTTP)

// ParseService reads a service file. File is its name for errors.
func ParseService(file, name string, text []byte) (*Service, error) {
	s := &Source{File: file}
	root := ParseYAML(s, text)
	if root == nil {
		return nil, s.Err()
	}
	service := &Service{Name: name}
	s.Decode(root, service)
	if err := s.Err(); err != nil {
		return nil, err
	}
	return service, nil
}

// serviceHop is the service where spans pass through it: the keys of hop stand in place of its own.
func (s *Source) serviceHop(n, hop *Node, name string) *Service {
	if hop.Kind != Mapping {
		s.Fail(hop.At, "hop has keys of a service, which stand in place of its own where spans pass through it; this is %s", hop.Kind)
		return nil
	}
	for _, key := range []string{"hop", "answers"} {
		if has := hop.Get(key); has != nil {
			s.Fail(has.At, "hop has no %s: nothing ends where spans pass through", key)
			return nil
		}
	}
	merged := &Node{At: n.At, Kind: Mapping, Entries: slices.Clone(hop.Entries)}
	for _, e := range n.Entries {
		if e.Key != "hop" && e.Key != "answers" && hop.Get(e.Key) == nil {
			merged.Entries = append(merged.Entries, e)
		}
	}
	service := &Service{Name: name}
	s.Decode(merged, service)
	return service
}

// ofService is the process of the service that n names, to which a workload adds
// its own keys. Where there is none, s has a problem.
func (s *Source) ofService(n *Node) (Process, bool) {
	name := s.Line(n)
	if s.Services == nil {
		s.Fail(n.At, "service %q: there is no place here where services are looked up", Printable(name))
		return Process{}, false
	}
	service, err := s.Services(name)
	if err != nil {
		s.Fail(n.At, "%v", err)
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

// Settings of services: what a hop may choose, and what follows from that.

// checkSettings checks the settings of a service.
func (v *Service) checkSettings(s *Source, n *Node) {
	s.checkSettings(n, v.Settings)
	for i, set := range v.Settings {
		at := n.Entries[i].Value
		if hasKey[Hop](InExperiment, set.Name) {
			s.Fail(n.Entries[i].At, "a setting cannot be called %q: the word means something else in a hop", set.Name)
		}
		if set.Meaning == MeaningSampling {
			s.Fail(at.Get("meaning").At, "the share that a tracer records is its meaning sampling; what a service leaves out it says itself (says: sampled)")
		}
	}
}

// settingWords are the words of settings that are not read yet, nil where there are none.
func settingWords(n *Node) []string {
	var out []string
	if n == nil {
		return nil
	}
	for _, e := range n.Entries {
		for _, word := range valuePlaceholders {
			out = append(out, settingPrefix+e.Key+strings.TrimPrefix(word, "value"))
		}
	}
	return out
}

// process returns the service's process with these settings; the other settings have their defaults.
func (v *Service) process(chosen map[string]string) Process {
	p := v.Process
	p.Service, p.Settings = v, chosen
	p.Run, p.Env = slices.Clone(p.Run), maps.Clone(p.Env)
	values := v.Values(chosen)
	for _, set := range v.Settings {
		env, _, _ := set.Environment(values[set.Name])
		maps.Copy(p.Env, env)
	}
	words := WordsOfSettings(v.Settings, values)
	fill := func(text string) string { filled, _ := WithSettings(text, words); return filled }
	for i := range p.Run {
		p.Run[i] = fill(p.Run[i])
	}
	for name, text := range p.Env {
		p.Env[name] = fill(text)
	}
	p.Dir, p.Ready = fill(p.Dir), fill(p.Ready)
	return p
}

// Values returns the values of all settings.
func (v *Service) Values(chosen map[string]string) map[string]string {
	out := map[string]string{}
	for _, set := range v.Settings {
		out[set.Name] = set.Default
	}
	maps.Copy(out, chosen)
	return out
}

// Mute are those of settings that say nothing beside the values of others, by name, each with the setting for which that is so.
func Mute(settings []Setting, values map[string]string) map[string]string {
	out := map[string]string{}
	for _, set := range settings {
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
	values := p.Service.Values(p.Settings)
	mute := Mute(p.Service.Settings, values)
	for _, set := range p.Service.Settings {
		value := values[set.Name]
		sum += set.Choices[value].Delay
		if set.Meaning != MeaningDelay || mute[set.Name] != "" && p.Settings[set.Name] == "" {
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
		if d, err := time.ParseDuration(p.Settings[set.Name]); set.Meaning == MeaningDelay && err == nil {
			sum += d
		}
	}
	return sum
}

// meant complains of settings that say nothing beside others. To a configuration of the user's own they say what it makes of them.
func (s *Source) meant(n *Node, hop Process) {
	if n.Get("config") != nil {
		return
	}
	values := hop.Service.Values(hop.Settings)
	mute := Mute(hop.Service.Settings, values)
	for _, name := range slices.Sorted(maps.Keys(hop.Settings)) {
		if by := mute[name]; by != "" {
			s.Fail(n.Get(name).At, "%s says nothing with %s: %s (of service %s); leave it out, or choose another %s", name, by, values[by], hop.Service.Name, by)
		}
	}
}

// What a hop holds back: how long, and how many traces at once.

// MeaningRoom is the meaning of a service's setting which says how many traces it holds.
const MeaningRoom = "room"

// Waits is the longest time that one of the hop's settings says that it holds a span.
func (p Process) Waits() time.Duration {
	var longest time.Duration
	p.eachSetting(MeaningDelay, func(value string) {
		if d, err := time.ParseDuration(value); err == nil {
			longest = max(longest, d)
		}
	})
	return longest
}

// Room is the most traces that the hop holds at once; 0 if unknown.
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
	values := p.Service.Values(p.Settings)
	mute := Mute(p.Service.Settings, values)
	for _, set := range p.Service.Settings {
		if set.Meaning == meaning && (mute[set.Name] == "" || p.Settings[set.Name] != "") {
			take(values[set.Name])
		}
	}
}
