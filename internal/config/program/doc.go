// Package program owns what can be run and traced: the files of workloads, tracers and services, and how any file is read.
// A key is a field with its tags (keys.go), a value has a form (forms.go), and what is wrong has a place (node.go,
// problem.go). It must not know experiments, their variants, loads and designs.
//
// Files, from the top: setup, causes, forms, tracer, via, graph, collectorroutes, drive, backend, service, write,
// collector, operation, set, redact, doc, request, workload, process, image, pods, data, artifact, template, setting, keys, collectorcopy, read,
// placeholder, catalog, collectorrefs, node, problem.
package program
