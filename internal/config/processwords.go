// The texts of a process, and the placeholders in them.

package config

import (
	"maps"
	"slices"
	"strings"
)

// Words are the placeholders in all texts of a process of a plan, those of the service that it is among them.
func (p Process) Words() []string {
	all := slices.Concat(texts(p), []string{p.Page}, slices.Sorted(maps.Values(p.Templates)))
	if p.Service != nil {
		all = append(append(all, slices.Sorted(maps.Values(p.Service.Receives))...), p.Service.Metrics)
	}
	return wordsOf(all)
}

// texts are the texts of a process that may hold placeholders.
func texts(p Process) []string {
	out := append([]string{p.Ready, p.Dir}, p.Run...)
	for _, v := range p.Env {
		out = append(out, v)
	}
	return out
}

func wordsOf(texts []string) []string {
	var out []string
	for _, text := range texts {
		out = append(out, Placeholders(text)...)
	}
	return out
}

// usesPort reports whether a process is told its port, by itself or by another one.
func usesPort(p Process, processes []Process) bool {
	if slices.Contains(p.Words(), "port") {
		return true
	}
	return slices.ContainsFunc(processes, func(q Process) bool { return slices.Contains(q.Words(), p.Name+".port") })
}

// FurtherPorts are those that the texts of a process have placeholders for, each once: port.admin.
func (p Process) FurtherPorts() []string { return further(p.Words()) }

func further(words []string) []string {
	var out []string
	for _, word := range words {
		if strings.HasPrefix(word, PortPrefix) && !slices.Contains(out, word) {
			out = append(out, word)
		}
	}
	return out
}
