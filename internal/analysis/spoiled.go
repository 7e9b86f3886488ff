package analysis

import (
	"fmt"

	"github.com/tracetax/tracetax/internal/analysis/dataset"
)

// Spoiled counts the planned blocks that the harness or the machine spoiled, and that are worth making again: none, where
// more are than may be left out. It looks at no figure of the program.
//
// It fails where a record cannot be read.
func Spoiled(in Input) (int, error) {
	set, err := dataset.New(in.Experiment, in.Plans, in.Environment, in.Records)
	if err != nil {
		return 0, fmt.Errorf("looking for blocks that were spoiled: %w", err)
	}
	return set.Again(), nil
}
