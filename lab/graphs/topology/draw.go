package topology

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Tree draws the calls of each operation.
func (g *Graph) Tree() string {
	var out strings.Builder
	for i, o := range g.Operations {
		if i > 0 {
			out.WriteString("\n")
		}
		c := g.Count(o)
		t, _ := g.Find(o.Call)
		fmt.Fprintf(&out, "%s: %s, %s\n%s", o.Name, counted(c.Calls, "call"), counted(c.Spans, "span"), o.Call)
		out.WriteString(g.told(t) + "\n")
		g.branches(&out, t.Steps, "")
	}
	return out.String()
}

func (g *Graph) branches(out *strings.Builder, steps []Step, indent string) {
	for i, s := range steps {
		branch, further := "├─ ", "│  "
		if i == len(steps)-1 {
			branch, further = "└─ ", "   "
		}
		inner := slices.Concat(s.AtOnce, s.InTurn)
		text := "at once"
		if len(s.InTurn) > 0 {
			text = "in turn"
		}
		if t, ok := g.Find(s.Call); ok {
			text, inner = s.Call+g.told(t), t.Steps
		}
		if s.Times > 1 {
			text = fmt.Sprintf("%d × %s", s.Times, text)
		}
		if s.Background {
			text += " in the background"
		}
		out.WriteString(indent + branch + text + "\n")
		g.branches(out, inner, indent+further)
	}
}

// told returns the description of a method, behind its name.
func (g *Graph) told(t Target) string {
	what := g.protocol(t.Node, t.Store)
	if t.Store {
		what = cmp.Or(t.Node.Kind, "store")
	}
	parts := []string{what}
	if t.Node.Replicas > 1 {
		parts = append(parts, fmt.Sprintf("%d replicas", t.Node.Replicas))
	}
	if d := t.Does; d.Work > 0 {
		parts = append(parts, "works "+d.Work.String())
	}
	if d := t.Does; d.Wait > 0 {
		parts = append(parts, "waits "+d.Wait.String())
	}
	if t.Does.Request > 0 || t.Does.Answer > 0 {
		parts = append(parts, fmt.Sprintf("%d → %d B", t.Does.Request, t.Does.Answer))
	}
	if d := t.Does; d.Errors > 0 {
		parts = append(parts, "errors "+percent(d.Errors))
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// Dot draws who calls whom, for Graphviz: the calls of one operation of the mix on average.
func (g *Graph) Dot() string {
	var out strings.Builder
	out.WriteString("digraph {\n  rankdir=LR\n")
	for _, n := range g.Nodes {
		fmt.Fprintf(&out, "  %q [shape=box]\n", n.Name)
	}
	for _, n := range g.Stores {
		fmt.Fprintf(&out, "  %q [shape=cylinder]\n", n.Name)
	}
	sum, edges := 0.0, map[Edge]float64{}
	for _, o := range g.Operations {
		sum += g.weight(o)
		for edge, n := range g.Count(o).Edges {
			edges[edge] += n * g.weight(o)
		}
	}
	var all []Edge
	for edge := range edges {
		if edges[edge] > 0 {
			all = append(all, edge)
		}
	}
	slices.SortFunc(all, func(a, b Edge) int { return cmp.Or(strings.Compare(a.From, b.From), strings.Compare(a.To, b.To)) })
	for _, edge := range all {
		fmt.Fprintf(&out, "  %q -> %q [label=\"%s\"]\n", edge.From, edge.To, strconv.FormatFloat(edges[edge]/sum, 'g', 3, 64))
	}
	out.WriteString("}\n")
	return out.String()
}

// weight is that of an operation in the mix; without a mix all weigh the same.
func (g *Graph) weight(o Operation) float64 {
	if len(g.Mix) == 0 {
		return 1
	}
	return g.Mix[o.Name]
}

// counted is "1 call" or "7 calls".
func counted(n float64, word string) string {
	if n != 1 {
		word += "s"
	}
	return fmt.Sprintf("%.0f %s", n, word)
}

func percent(share float64) string { return strconv.FormatFloat(share*100, 'g', 6, 64) + " %" }
