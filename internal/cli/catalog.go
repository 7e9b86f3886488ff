package cli

import (
	"io/fs"
	"os"
	"path/filepath"

	"github.com/tracetax/tracetax"
	"github.com/tracetax/tracetax/internal/cli/console"
	"github.com/tracetax/tracetax/internal/config"
)

// catalogVariable names folders with workloads/, tracers/ and experiments/ of
// the user's own; they win over built-in ones of the same name.
const catalogVariable = "TRACETAX_CATALOG"

// builtIn is the catalog of what tracetax brings along and what the user adds.
func builtIn() *config.Catalog {
	layers := []fs.FS{tracetax.Files}
	for _, dir := range filepath.SplitList(os.Getenv(catalogVariable)) {
		layers = append(layers, os.DirFS(dir))
	}
	return config.NewCatalog(layers...)
}

// fileError is err as the user's own mistake, if it is one: exit status 2.
func fileError(err error) error {
	if config.IsProblem(err) {
		return console.UsageError(err)
	}
	return err
}
