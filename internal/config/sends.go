// What spans are sent by: of the protocols that a tracer or a service names, those of a choice.

package config

import (
	"maps"
	"slices"

	"github.com/tracetax/tracetax/internal/protocol"
)

// sent are the protocols that spans are sent by with these settings, of those that texts name.
func sent(settings []Setting, values map[string]string, texts []string) []protocol.Row {
	named := protocol.Named(wordsOf(texts))
	var only []protocol.Name
	for _, set := range settings {
		only = append(only, set.Choices[values[set.Name]].Sends...)
	}
	if only == nil {
		return named
	}
	return slices.DeleteFunc(named, func(r protocol.Row) bool { return !slices.Contains(only, r.Name) })
}

// rows are the rows of protocols.
func rows(names []protocol.Name) []protocol.Row {
	return slices.DeleteFunc(slices.Clone(protocol.Table), func(r protocol.Row) bool { return !slices.Contains(names, r.Name) })
}

// takes reports whether a service receives spans by all of these protocols.
func (v *Service) takes(names []protocol.Name) bool {
	return len(names) > 0 && !slices.ContainsFunc(names, func(name protocol.Name) bool { _, there := v.Receives[name]; return !there })
}

// adapt has hops send what the next one takes in, where they can choose and nobody has chosen.
func (v *Variant) adapt() {
	route := v.Route()
	for i := range v.Via {
		if i+1 == len(route) {
			return // the sink takes in everything
		}
		hop, next := &v.Via[i], route[i+1].Service
		for _, set := range hop.Service.Settings {
			if hop.Settings[set.Name] != "" || next.takes(set.Choices[set.Default].Sends) {
				continue
			}
			for _, word := range slices.Sorted(maps.Keys(set.Choices)) {
				if next.takes(set.Choices[word].Sends) {
					hop.choose(set.Name, word)
					break
				}
			}
		}
	}
}

// choose gives a setting of a hop a value.
func (p *Process) choose(setting, value string) {
	p.Settings = maps.Clone(p.Settings)
	if p.Settings == nil {
		p.Settings = map[string]string{}
	}
	p.Settings[setting] = value
	p.resettle()
}

// resettle makes the process what the settings of its service say.
func (p *Process) resettle() {
	chosen := p.Service.process(p.Settings)
	p.Run, p.Env, p.Dir, p.Ready = chosen.Run, chosen.Env, chosen.Dir, chosen.Ready
	maps.Copy(p.Env, p.Own)
}
