package record

// Hop is what a program on the way of spans says that it did with them, over a stretch of time. A nil pointer means that
// it does not say: that is not none.
type Hop struct {
	Name     string  `json:"name"`               // of the program
	Received *uint64 `json:"received,omitempty"` // took in, those that it left out or lost later among them
	Refused  *uint64 `json:"refused,omitempty"`  // did not take in, and told the sender so, who may have sent them again
	Sampled  *uint64 `json:"sampled,omitempty"`  // left out on purpose: by a sampler, a filter
	Dropped  *uint64 `json:"dropped,omitempty"`  // thrown away: its queue was full
	Failed   *uint64 `json:"failed,omitempty"`   // lost in exports
	Sent     *uint64 `json:"sent,omitempty"`     // passed on
	Early    *uint64 `json:"early,omitempty"`    // in traces, not in spans: thrown away before it was decided on them, of spans in no other count
	Kept     *uint64 `json:"kept,omitempty"`     // in traces: that it decided to keep
	Late     *uint64 `json:"late,omitempty"`     // how often spans came whose trace it had decided on
	Traced   *uint64 `json:"traced,omitempty"`   // in traces: of a tracer, that it decided for at their beginning, by chance
	Source   string  `json:"source,omitempty"`   // by whose word: "log", "metrics"; both are joined by " and "
	Untold   string  `json:"untold,omitempty"`   // why it does not say, where it should
}

// By whose word something is said.
const (
	ByLog     = "log"
	ByMetrics = "metrics"
)

// Figures are the hop's numbers, each under its name in a file of a service.
func (h *Hop) Figures() map[string]**uint64 {
	return map[string]**uint64{
		"received": &h.Received, "refused": &h.Refused, "sampled": &h.Sampled, "dropped": &h.Dropped, "failed": &h.Failed, "sent": &h.Sent,
		"early": &h.Early, "kept": &h.Kept, "late": &h.Late, "traced": &h.Traced,
	}
}

// Told reports whether it says anything.
func (h Hop) Told() bool {
	for _, figure := range h.Figures() {
		if *figure != nil {
			return true
		}
	}
	return false
}

// Waiting is how many spans it took in of which it does not say yet what became of them; false where it does not say
// enough to tell. What it does not say that it leaves out, drops or loses it is taken to pass on.
func (h Hop) Waiting() (spans int64, known bool) {
	if h.Received == nil || h.Sent == nil {
		return 0, false
	}
	waiting := int64(*h.Received) - int64(*h.Sent)
	for _, out := range []*uint64{h.Sampled, h.Dropped, h.Failed} {
		if out != nil {
			waiting -= int64(*out)
		}
	}
	return waiting, true
}

// Minus is what was said after before was. A number that became smaller is not known: the hop has started again.
func (h Hop) Minus(before Hop) Hop {
	return h.with(before, func(after, before uint64) (uint64, bool) { return after - before, after >= before })
}

// Plus is what was said in two stretches of time.
func (h Hop) Plus(next Hop) Hop {
	return h.with(next, func(a, b uint64) (uint64, bool) { return a + b, true })
}

func (h Hop) with(other Hop, combine func(a, b uint64) (uint64, bool)) Hop {
	out := Hop{Name: h.Name, Source: h.Source, Untold: h.Untold}
	if out.Untold == "" {
		out.Untold = other.Untold
	}
	into, theirs := out.Figures(), other.Figures()
	for name, mine := range h.Figures() {
		if *mine == nil || *theirs[name] == nil {
			continue
		}
		if n, known := combine(**mine, **theirs[name]); known {
			*into[name] = &n
		} else if out.Untold == "" {
			out.Untold = "its count of " + name + " spans became smaller: it has started again"
		}
	}
	return out
}

// HopsMinus is what each hop said after before was; nothing where these are not of the same hops.
func HopsMinus(after, before []Hop) []Hop {
	return hopsWith(after, before, Hop.Minus)
}

// HopsPlus is what each hop said in two stretches of time, of which one may have nothing of hops.
func HopsPlus(a, b []Hop) []Hop {
	if len(a) == 0 || len(b) == 0 {
		return append(append([]Hop(nil), a...), b...)
	}
	return hopsWith(a, b, Hop.Plus)
}

func hopsWith(a, b []Hop, combine func(Hop, Hop) Hop) []Hop {
	if len(a) != len(b) {
		return nil
	}
	var out []Hop
	for i := range a {
		if a[i].Name != b[i].Name {
			return nil
		}
		out = append(out, combine(a[i], b[i]))
	}
	return out
}
