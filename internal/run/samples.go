// Every single duration of a phase, kept in the results folder.
package run

import (
	"maps"
	"path"
	"slices"

	"github.com/tracetax/tracetax/internal/record"
)

// samplesFile names the file of a phase's durations within the results folder; ""
// where they are not kept.
func (s *stage) samplesFile(request PhaseRequest) string {
	if s.request.Samples == "" {
		return ""
	}
	name := s.request.Samples + "-" + q(request.Operation.Name)
	for _, parameter := range slices.Sorted(maps.Keys(request.Parameter)) {
		name += "-" + q(parameter) + "-" + q(request.Parameter[parameter])
	}
	return path.Join(record.SamplesFolder, name+".csv.gz")
}
