// This file says where spans were lost.

package words

import (
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
)

// Place says where spans were lost.
func Place(place string) string {
	switch place {
	case finding.LostByLimit:
		return "by a limit of the tracer's own"
	case finding.LostInQueue:
		return "in the tracer's queue"
	case finding.LostInStream:
		return "in the stream to the receiver"
	case finding.LostAtStop:
		return "at the stop"
	case finding.LostOnWay:
		return "at a hop on the way"
	case finding.LostAtSink:
		return "at the receiver"
	}
	return "nobody says where"
}

// Places are the shares that were lost, each with its place.
func Places(where []finding.LostAt) string {
	var places []string
	for _, p := range where {
		places = append(places, finding.FormatValue(p.Share, "1")+" "+Place(p.Place))
	}
	return strings.Join(places, ", ")
}

// Lost says how many spans were lost, and where.
func Lost(l finding.Lossy) string {
	text := finding.FormatValue(l.LostShare, "1") + " of the spans lost"
	if l.Part != "" {
		text += " " + l.Part
	}
	if l.Part == "" || len(l.Where) > 0 {
		text += ": " + Places(l.Where)
	}
	return text
}
