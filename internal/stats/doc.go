// Package stats owns what tracetax says about numbers: paired estimates with
// exact intervals, where an interval stands against a limit, the correction for
// several claims at once, modes, and binomial bands. All of it is pure: the same
// numbers in, the same answer out.
//
// It does not know what the numbers mean. Runs, blocks, metrics, budgets and
// words for a reader belong to its callers. What the methods assume, and what
// their intervals do not cover, is in docs/statistics.md.
package stats
