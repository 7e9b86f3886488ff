// This file puts a replication into one sentence.

package study

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
)

// summary returns the replication's result in one sentence.
func (of *replication) summary(s *Replication) string {
	var parts []string
	if text := claimsText(s.Claims); text != "" {
		parts = append(parts, text)
	}
	if inside, all := withinCount(s); all > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d published costs lie in our intervals", inside, all))
	}
	if text := tausText(s); text != "" {
		parts = append(parts, text)
	}
	if one := s.Results[0].Summary; len(parts) == 0 && len(s.Results) == 1 && one != "" { // names the variants that lost spans too
		if n := len(s.LeftOut); n > 0 {
			one = strings.TrimSuffix(one, ".") + "; " + counted(n, "variant") + " left out."
		}
		return one
	}
	if text := of.apartText(); text != "" {
		parts = append(parts, text)
	}
	if text := suppressedText(s.Suppressed); text != "" {
		parts = append(parts, text)
	}
	if n := len(s.LeftOut); n > 0 {
		parts = append(parts, fmt.Sprintf("%s left out", counted(n, "variant")))
	}
	if len(parts) == 0 {
		return fmt.Sprintf("%s of %s; nothing was published to hold them against.", counted(len(s.Results), "result"), s.Name)
	}
	text := strings.Join(parts, "; ") + "."
	return strings.ToUpper(text[:1]) + text[1:]
}

func claimsText(claims []ClaimResult) string {
	if len(claims) == 0 {
		return ""
	}
	by := map[ClaimKind][]string{}
	for _, c := range claims {
		by[c.Kind] = append(by[c.Kind], c.Name)
	}
	var parts []string
	for _, kind := range []ClaimKind{Confirmed, Refuted, Open} {
		if names := by[kind]; len(names) > 0 {
			word, more := string(kind), ""
			if kind == Open {
				word, more = "cannot be told", needsText(claims)
			}
			parts = append(parts, fmt.Sprintf("%d %s (%s%s)", len(names), word, strings.Join(names, ", "), more))
		}
	}
	return fmt.Sprintf("of %s %s", counted(len(claims), "claim"), strings.Join(parts, ", "))
}

// needsText counts the open claims that lack results of workloads, and names these.
func needsText(claims []ClaimResult) string {
	n := 0
	var workloads []string
	for _, c := range claims {
		if c.Kind != Open || len(c.Needs) == 0 {
			continue
		}
		n++
		for _, name := range c.Needs {
			if !slices.Contains(workloads, name) {
				workloads = append(workloads, name)
			}
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("; %d of them are about workloads without a result: %s", n, fewWith(workloads, ", "))
}

// withinCount counts the published costs in our intervals, and all that were compared.
func withinCount(s *Replication) (inside, all int) {
	add := func(published []PublishedFigure) {
		for _, p := range published {
			if p.Within == nil || p.Cost == nil && p.Added == nil { // a value of another machine is no cost
				continue
			}
			all++
			if *p.Within {
				inside++
			}
		}
	}
	for _, t := range s.Tables {
		for _, row := range t.Rows {
			add(row.Published)
		}
	}
	for _, m := range s.Means {
		add(m.PublishedOfMeans)
	}
	return inside, all
}

// tausText returns the range of the rank correlations.
func tausText(s *Replication) string {
	least, most, n := 1.0, -1.0, 0
	for _, r := range s.Rankings {
		for _, t := range r.Taus {
			least, most, n = min(least, t.Tau), max(most, t.Tau), n+1
		}
	}
	number := func(v float64) string { return strings.Replace(fmt.Sprintf("%.2f", v), "-", "−", 1) }
	switch {
	case n == 0:
		return ""
	case n == 1 || least == most:
		return "the order of the variants agrees with the published one with Kendall's τ = " + number(least)
	}
	return fmt.Sprintf("the order of the variants agrees with the published ones with Kendall's τ = %s to %s", number(least), number(most))
}

// apartText names the variants that lost spans and are not ranked; "": none. The baseline is never ranked.
func (s *replication) apartText() string {
	type variant struct{ lost, all int } // cells
	of := map[string]*variant{}
	var names []string
	for _, f := range s.find(func(f *figure) bool { return f.Headline }) {
		v := of[f.Variant]
		if v == nil {
			v = &variant{}
			of[f.Variant] = v
		}
		v.all++
		if f.of.loses(f.Finding, f.Variant) {
			if v.lost++; v.lost == 1 {
				names = append(names, f.Variant)
			}
		}
	}
	if len(names) == 0 {
		return ""
	}
	for i, name := range names {
		if v := of[name]; v.lost < v.all {
			names[i] = fmt.Sprintf("%s on %d of %d", name, v.lost, v.all)
		}
	}
	return "excluded from the ranking, as they lost spans: " + fewWith(names, ", ")
}

// suppressedText names the variants with spans suppressed by the tracer's own limit, and the largest
// share; "": none.
func suppressedText(all []Suppressed) string {
	var names []string
	for _, group := range groupBy(all, func(u Suppressed) string { return u.Variant }) {
		most, at := 0.0, ""
		for _, u := range group {
			if u.Share > most {
				most, at = u.Share, join(u.Workload, cellName(u.Operation, u.Parameter))
			}
		}
		upTo := ""
		if len(group) > 1 {
			upTo = "up to "
		}
		names = append(names, fmt.Sprintf("%s %s%s (%s)", group[0].Variant, upTo, finding.FormatValue(most, "1"), at))
	}
	if len(names) == 0 {
		return ""
	}
	return "spans suppressed by the tracer's own limit: " + fewWith(names, ", ")
}

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return finding.FormatCount(int64(n)) + " " + noun + "s"
}
