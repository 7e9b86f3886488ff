// Settings of services: what a hop may choose, and what follows from that.

package config

import (
	"maps"
	"slices"
	"strings"
	"time"
)

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
