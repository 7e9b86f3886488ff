package words

import (
	"testing"

	"github.com/tracetax/tracetax/internal/finding"
)

func TestAnswers(t *testing.T) {
	if got := Answers(finding.Answers{Statuses: map[int]uint64{500: 205, 200: 1845}}); got != "200: 1,845 · 500: 205 (10.0 %)" {
		t.Error(got)
	}
}
