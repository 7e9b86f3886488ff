package words

import (
	"fmt"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
)

// BackendDiffers is "zipkin says that it has stored 900 spans, and answers with 300"; "" where both are the same, and where
// there is no backend. What it threw away is in neither: it is missing in the account of spans. Spans that went to the sink in its
// place are told in any case: they look like lost ones.
func BackendDiffers(b *record.Backend) string {
	if b == nil {
		return ""
	}
	text := answersOtherwise(b)
	if b.Astray == 0 {
		return text
	}
	if text != "" {
		text += "; "
	}
	return text + fmt.Sprintf("%s came to the sink, not to %s, and count as lost", spans(float64(b.Astray)), b.Name)
}

func answersOtherwise(b *record.Backend) string {
	switch {
	case b.Answered != nil && *b.Answered == b.Stored:
		return ""
	case b.Dropped > 0 && b.Answered != nil:
		return fmt.Sprintf("%s says that it has stored %s and thrown %s away, and answers with %s", b.Name, spans(float64(b.Stored)),
			finding.FormatCount(int64(b.Dropped)), finding.FormatCount(int64(*b.Answered)))
	case b.Answered == nil:
		return fmt.Sprintf("%s says that it has stored %s; with how many it answers is not known: %s", b.Name, spans(float64(b.Stored)), b.Untold)
	}
	return fmt.Sprintf("%s says that it has stored %s, and answers with %s", b.Name, spans(float64(b.Stored)), finding.FormatCount(int64(*b.Answered)))
}
