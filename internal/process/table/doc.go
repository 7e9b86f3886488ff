// Package table owns what the kernel's table of processes tells: who runs, who descends from whom, which threads there
// are. It must not know who started a process, and what becomes of it.
package table
