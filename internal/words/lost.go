// This file says where spans were lost.
package words

import (
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
)

func whereText(place string) string {
	switch place {
	case finding.LostByLimit:
		return "by " + place
	case finding.LostAtSink, finding.LostAtStop:
		return "at " + place
	case finding.LostNowhere:
		return "nobody says where"
	}
	return "in " + place
}

// Lost says how many spans were lost, and where.
func Lost(l finding.Lossy) string {
	var places []string
	for _, p := range l.Where {
		places = append(places, finding.FormatValue(p.Share, "1")+" "+whereText(p.Place))
	}
	text := finding.FormatValue(l.LostShare, "1") + " of the spans lost"
	if l.Part != "" {
		text += " " + l.Part
	}
	if l.Part == "" || len(places) > 0 {
		text += ": " + strings.Join(places, ", ")
	}
	return text
}
