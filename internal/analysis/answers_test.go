package analysis_test

import (
	"testing"

	"github.com/tracetax/tracetax/internal/record"
)

// Answers are added up by status over the blocks; an operation with one right status has none.
func TestAnswersByStatus(t *testing.T) {
	s := twoVariants()
	s.change = onlyRuns("otel", func(r *record.Record) { r.Phases[0].Load.Answers = map[int]uint64{200: 90, 500: 10} })
	doc := analyse(t, s.input())
	if len(doc.Answers) != 1 || doc.Answers[0].Variant != "otel" || doc.Answers[0].Operation != "json" || doc.Answers[0].Statuses[500] != 100 || doc.Answers[0].Statuses[200] != 900 {
		t.Errorf("%+v", doc.Answers)
	}
}
