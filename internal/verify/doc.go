// Package verify owns the rules by which the answers of a web service are
// checked before anybody measures it: those of TechEmpower's tests that the
// requests/* workloads implement, and the bytes that the tiers/* workloads answer with.
// It asks the service as any client would, and looks into its database. It must not know of tracing, and measures nothing.
package verify
