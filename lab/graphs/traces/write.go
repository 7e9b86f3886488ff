package traces

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/tracetax/tracetax/lab/graphs/topology"
)

// text writes a topology as YAML, with comments.
func (n *named) text(head []string) []byte {
	var out strings.Builder
	for _, line := range head {
		out.WriteString("# " + line + "\n")
	}
	fmt.Fprintf(&out, "description: %s\n\nnodes:\n", n.Description)
	for i := range n.Nodes {
		n.node(&out, &n.Nodes[i])
	}
	if len(n.Stores) > 0 {
		out.WriteString("\nstores: # nobody's spans tell what they do: the wait is what their clients saw\n")
		for i := range n.Stores {
			n.node(&out, &n.Stores[i])
		}
	}
	out.WriteString("\noperations:\n")
	for _, o := range n.Operations {
		fmt.Fprintf(&out, "  %s: {call: %s}\n", o.Name, o.Call)
	}
	out.WriteString("\nmix: # traces\n")
	for _, o := range n.Operations {
		fmt.Fprintf(&out, "  %s: %d\n", o.Name, n.weights[o.Name])
	}
	return []byte(out.String())
}

func (n *named) node(out *strings.Builder, of *topology.Node) {
	fmt.Fprintf(out, "  %s:%s\n", of.Name, n.origin(of.Name))
	if of.Protocol != "" {
		fmt.Fprintf(out, "    protocol: %s\n", of.Protocol)
	}
	for _, size := range []struct {
		key   string
		bytes int64
	}{{"request", of.Request}, {"answer", of.Answer}} {
		if size.bytes > 0 {
			fmt.Fprintf(out, "    %s: %d # a guess: no span tells it\n", size.key, size.bytes)
		}
	}
	out.WriteString("    methods:\n")
	for i := range of.Methods {
		m := &of.Methods[i]
		name := of.Name + "." + m.Name
		comment := n.origin(name)
		for _, key := range []string{"request", "answer"} {
			if n.guessed[name+"."+key] {
				comment += " # " + key + " is a guess"
			}
		}
		fmt.Fprintf(out, "      %s: {%s}%s\n", m.Name, does(m), comment)
	}
}

// origin is the comment with what a name came from.
func (n *named) origin(name string) string {
	if from := n.origins[name]; from != "" {
		return " # " + from
	}
	return ""
}

// does writes what a method does.
func does(m *topology.Method) string {
	var keys []string
	add := func(key, value string) { keys = append(keys, key+": "+value) }
	if m.Work > 0 {
		add("work", duration(m.Work))
	}
	if m.Wait > 0 {
		add("wait", duration(m.Wait))
	}
	if m.Request > 0 {
		add("request", strconv.FormatInt(m.Request, 10))
	}
	if m.Answer > 0 {
		add("answer", strconv.FormatInt(m.Answer, 10))
	}
	if m.Errors > 0 {
		add("errors", strconv.FormatFloat(m.Errors*100, 'g', 4, 64)+"%")
	}
	if len(m.Steps) > 0 {
		add("steps", steps(m.Steps))
	}
	return strings.Join(keys, ", ")
}

func duration(d time.Duration) string { return strings.Replace(d.String(), "µ", "u", 1) }

// steps writes a list of steps in one line.
func steps(all []topology.Step) string {
	var out []string
	for _, s := range all {
		var keys []string
		switch {
		case s.Call != "" && s.Times <= 1 && !s.Background:
			out = append(out, s.Call)
			continue
		case s.Call != "":
			keys = append(keys, "call: "+s.Call)
		case len(s.AtOnce) > 0:
			keys = append(keys, "at_once: "+steps(s.AtOnce))
		default:
			keys = append(keys, "in_turn: "+steps(s.InTurn))
		}
		if s.Times > 1 {
			keys = append(keys, fmt.Sprintf("times: %d", s.Times))
		}
		if s.Background {
			keys = append(keys, "background: true")
		}
		out = append(out, "{"+strings.Join(keys, ", ")+"}")
	}
	return "[" + strings.Join(out, ", ") + "]"
}
