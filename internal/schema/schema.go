// Package schema owns the shape of experiments, for their JSON Schema: which keys there are, of which kind, and what each
// means, in the comments. Those of workloads, services and tracers are the structs of package config. Tests make schemas/
// of both, and of the types of records and findings. It is a leaf. It must not know how a file is read.
package schema

// Text is a text, or a number or a truth that YAML takes for one.
type Text string

// Duration is a time with its unit: 500ms, 20s, 1m30s, 1h.
type Duration string

// Share is a part of a whole: 5% or 0.05.
type Share string

// Rate is operations over time: 400/s, 24000/min, or a number a second.
type Rate string

// Size is bytes: 512MiB, 500MB, or a number.
type Size string

// Texts is one text, or a list of them.
type Texts string

// Command is a list of words, or one line that is split as a shell does. For pipes: [sh, -c, "…"].
type Command string

// Environment is environment variables by their names. ${env:NAME} stands for one of your shell's.
type Environment map[string]Text

// Count is a number of spans: 3, or 2..5 where it varies.
type Count string

// OneOrMoreNumbers is a number, or a list of them: a sweep, each in a phase of its own.
type OneOrMoreNumbers string

// OneOrMoreRates is a rate, a list of them, or a part of what the slowest variant can do: 50% of slowest.
type OneOrMoreRates string
