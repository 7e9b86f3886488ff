// This file counts the runs that were asked for and those that were made.

package effect

// Progress counts the runs that were asked for and those that were made, good or
// failed. What a variant that was given up has not made was not left out by an
// interruption; without its baseline nothing goes on, and neither does it by itself.
func (s *Maker) Progress() (made, asked int) {
	total := s.blocksAsked()
	if s.Abandoned(s.Baseline) || s.NothingLeft() {
		return 0, 0
	}
	for _, v := range s.Variants {
		n := len(s.Attempted(v.Name))
		made += n
		if s.Abandoned(v.Name) {
			asked += n
			continue
		}
		asked += max(n, total)
	}
	return made, asked
}
