// Package schemas embeds the JSON Schemas of what tracetax reads and writes. Its tests make them of the types and their comments
// (make schemas).
package schemas

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"
)

// ExperimentTitle is the title of the schema of an experiment, by which one that was written is known.
const ExperimentTitle = "An experiment of tracetax"

//go:embed *.json
var files embed.FS

// Names are those of the schemas, sorted.
func Names() []string {
	entries, err := fs.ReadDir(files, ".")
	if err != nil {
		panic(err) // they are embedded
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".json"))
	}
	return names
}

// Text is the schema of that name.
func Text(name string) ([]byte, error) {
	text, err := files.ReadFile(name + ".json")
	if err != nil {
		return nil, fmt.Errorf("there is no schema %q; there are %s", name, strings.Join(Names(), ", "))
	}
	return text, nil
}
