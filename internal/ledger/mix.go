// This file settles a mix of operations by its parts: how many the load generator made of each is known, so that the number of
// its spans is as well, however much they differ between the parts.

package ledger

// ofParts is what the parts of a mix make together.
type ofParts struct {
	expected, sampled between // spans of all operations, and of those that the load generator asked to sample
	how               string  // as of PerOperation
	exact             bool    // whether each part is known to make a number that does not vary
}

// partsOf is what a stretch of a mix makes, by its parts; false where it is none, or it is not known how many spans a part makes.
func (t Tracing) partsOf(s Stretch) (sum ofParts, known bool) {
	sum.exact, sum.how = true, Declared
	for _, part := range s.Parts {
		per := t.Spans[part.Operation]
		if part.Started == 0 {
			continue
		}
		if !per.known() {
			return sum, false
		}
		failed := part.Started - min(part.Started, part.Completed)
		if per.How != Declared { // what a calibration showed of a few operations, some of many may not make
			sum.how = per.How
			if per.Agreed > 0 {
				failed += uint64(rare(per.Agreed) * float64(part.Started))
			}
		}
		sum.expected = sum.expected.plus(between{per.Low * float64(part.Started-min(part.Started, failed)), per.High * float64(part.Started)})
		sum.sampled = sum.sampled.plus(between{per.Low * float64(part.Sampled-min(part.Sampled, failed)), per.High * float64(part.Sampled)})
		sum.exact = sum.exact && per.exact() && per.How == Declared
	}
	return sum, len(s.Parts) > 0
}

// Mixed is how many spans an operation of a mix makes, by what is known of its parts; false where of one it is not known.
func Mixed(spans map[string]PerOperation, parts []string) (all PerOperation, known bool) {
	for i, name := range parts {
		per := spans[name]
		if !per.known() {
			return PerOperation{}, false
		}
		if i == 0 {
			all = per
			continue
		}
		if all = all.and(per); per.How == Inferred {
			all.How = Inferred
		}
	}
	return all, len(parts) > 0
}
