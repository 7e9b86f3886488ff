// Whether the spans of a variant can take their route.

package config

import "fmt"

// passes says why the spans of a variant do not pass its hops; "" where they do.
func (e *Experiment) passes(v Variant) string {
	p, err := e.Plan(v)
	if err != nil {
		return "" // told elsewhere
	}
	sends := sent(v.Tracer.Settings, v.Settings, p.textsOf(p.noHop))
	who := fmt.Sprintf("variant %q with tracer %s", printable(v.Name), v.Tracer.Name)
	if len(sends) == 0 {
		return who + " is not told where the sink is (no {sink.…}), so that nothing of it would go to " + v.Route()[0].Name + "; leave via and to out"
	}
	for i, hop := range v.Route() {
		for _, r := range sends {
			if _, takes := hop.Service.Receives[r.Name]; !takes {
				return fmt.Sprintf("%s sends %s, which %s does not receive: it takes in %s", who, r.Title, hop.Name, titles(hop.Service.Receives))
			}
		}
		if i == len(v.Via) { // the backend passes nothing on
			break
		}
		who = hop.Name
		if hop.Copy != nil {
			sends = rows(hop.Copy.Sends)
		} else if sends = sent(hop.Service.Settings, hop.Service.values(hop.Settings), p.textsOf(func(name string) bool { return name == hop.Name })); len(sends) == 0 {
			return fmt.Sprintf("%s passes nothing on: no text of service %q has {sink.…}", hop.Name, hop.Service.Name)
		}
	}
	return ""
}

// hops finds variants whose spans the hops do not take in.
func (e *Experiment) hops() []misfit {
	var out []misfit
	for _, v := range e.Variants {
		if len(v.Route()) == 0 {
			continue
		}
		if text := e.passes(v); text != "" {
			at := "via"
			if len(v.Via) == 0 {
				at = "to"
			}
			out = append(out, misfit{at: []string{"variants", v.Name, at}, text: text})
		}
	}
	return out
}
