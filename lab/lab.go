// Package lab owns what only studies need: claims about papers, the protocols of their agents, and a serverless platform.
// Importing it registers all of it, as database drivers are. Nothing below internal/ may import it.
package lab

import (
	_ "github.com/tracetax/tracetax/lab/study/replicate" // tracetax replicate
)
