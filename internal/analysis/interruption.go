// This file tells an experiment that was interrupted from one that is done.
package analysis

import (
	"fmt"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/words"
)

// progress counts the runs that were asked for and those that were made, good or
// failed. What a variant that was given up has not made was not left out by an
// interruption; without its baseline nothing goes on, and neither does it by itself.
func (s *study) progress() (made, asked int) {
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
