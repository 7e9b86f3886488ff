// Package lab owns what only studies need: claims about papers, the protocols of their agents, a serverless platform, and
// graphs of services. Importing it registers all of it, as database drivers are. Nothing below internal/ may import it.
package lab

import (
	_ "github.com/tracetax/tracetax/lab/graphs"          // tracetax graph
	_ "github.com/tracetax/tracetax/lab/study/replicate" // tracetax replicate
)
