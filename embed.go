// Package tracetax embeds the data that an installed tracetax brings along: the
// workloads, services, tracers, experiments and profilers that stand in the folders of the
// same names.
// It holds no code. A folder with a go.mod cannot be embedded, so a file that has
// to be called so is kept as go.mod.embed; config.CopyFiles gives it its name back.
package tracetax

import "embed"

// Files is the tree of built-in workloads, services, tracers, experiments and profilers.
//
//go:embed all:workloads all:services all:tracers all:experiments all:profilers
var Files embed.FS
