// This file tells an experiment that was interrupted from one that is done.
package analysis

import (
	"fmt"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/words"
)

// A variant is given up that fails in so many blocks in a row, or before the first
// block in so many tries of the same.
const givenUp = 2

// progress counts the runs that were asked for and those that were made, good or
// failed. What a variant that was given up has not made was not left out by an
// interruption; without its baseline nothing goes on, and neither does it by itself.
func (s *study) progress() (made, asked int) {
	total := s.blocksAsked()
	if s.abandoned(s.baseline) || s.nothingLeft() {
		return 0, 0
	}
	for _, v := range s.variants {
		n := len(s.attempted(v.Name))
		made += n
		if s.abandoned(v.Name) {
			asked += n
			continue
		}
		asked += max(n, total)
	}
	return made, asked
}

// attempted are the blocks in which a variant was run, and whether that went well.
func (s *study) attempted(variant string) map[int]bool {
	out := map[int]bool{}
	for _, r := range s.failed {
		if r.Variant == variant && r.Block > 0 {
			out[r.Block] = false
		}
	}
	for block := range s.all[variant] {
		out[block] = true
	}
	return out
}

// nothingLeft reports whether every variant but the baseline was given up.
func (s *study) nothingLeft() bool {
	others := 0
	for _, v := range s.variants {
		if v.Name == s.baseline {
			continue
		}
		if others++; !s.abandoned(v.Name) {
			return false
		}
	}
	return others > 0
}

// abandoned reports whether a variant failed so often that it was given up.
func (s *study) abandoned(variant string) bool {
	type kind struct {
		record.Kind
		record.Purpose
	}
	before := map[kind]int{}
	for _, r := range s.failed {
		if r.Variant == variant && r.Block == 0 {
			if before[kind{r.Kind, r.Purpose}]++; before[kind{r.Kind, r.Purpose}] >= givenUp {
				return true
			}
		}
	}
	attempted := s.attempted(variant)
	row := 0
	for block := 1; block <= max(s.in.Experiment.Design.Blocks, s.in.Experiment.Design.Most); block++ {
		if good, made := attempted[block]; !made || good {
			row = 0
			continue
		}
		if row++; row >= givenUp {
			return true
		}
	}
	return false
}

func (s *study) findInterrupted() []hit {
	made, asked := s.progress()
	if made >= asked {
		return nil
	}
	return []hit{{text: fmt.Sprintf("%d of %d runs %s made", made, asked, map[bool]string{true: "was", false: "were"}[made == 1])}}
}

// repeat lists the commands that repeat the experiment; one that was interrupted
// can be gone on with.
func (s *study) repeat(file string) []string {
	again := []string{"tracetax run " + words.Quoted(s.in.Results+"/"+file)}
	if made, asked := s.progress(); made < asked {
		return append([]string{resumes(s.in.Results)}, again...)
	}
	return again
}

func resumes(results string) string { return "tracetax run --resume " + words.Quoted(results) }

// Found tells a document where it was found, by the words of who reads it now: its
// commands name its folder.
func Found(doc *finding.Document, results string) {
	for i, command := range doc.Repeat {
		switch command {
		case resumes(doc.Results):
			doc.Repeat[i] = resumes(results)
		case "tracetax run " + words.Quoted(doc.Results+"/"+record.ExperimentFile):
			doc.Repeat[i] = "tracetax run " + words.Quoted(results+"/"+record.ExperimentFile)
		}
	}
	doc.Results = results
}
