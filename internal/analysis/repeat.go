package analysis

import (
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/words"
)

// repeat lists the commands that repeat the experiment; one that was interrupted
// can be gone on with.
func (s *study) repeat(file string) []string {
	again := []string{"tracetax run " + words.Quoted(s.in.Results+"/"+file)}
	if made, asked := s.Progress(); made < asked {
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
