package words

import "github.com/tracetax/tracetax/internal/finding"

// FillReplication puts the reasons of a replication into words.
func FillReplication(s *finding.Replication) {
	fill := func(r *finding.Reason) {
		if r != nil {
			r.Text = Reason(*r)
		}
	}
	for i := range s.Tables {
		for k := range s.Tables[i].Rows {
			fill(s.Tables[i].Rows[k].Reason)
		}
	}
	for i := range s.Claims {
		for k := range s.Claims[i].Figures {
			fill(s.Claims[i].Figures[k].Reason)
		}
	}
}
