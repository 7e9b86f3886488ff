// Package process owns the programs that a run starts: finding and starting
// them, waiting until they are ready, stopping them so that nothing is left
// behind, their place on the machine (cgroups, CPUs, limits), their free ports
// and their logs. It must not know what is measured, nor why they run.
//
// Every program is started by a keeper of its own: this binary executed again
// as "agent keep" (package keeper). The keeper is the parent of the program and the
// reaper of everything the program forks off. It ends the whole subtree when
// the pipe from tracetax closes, however tracetax came to its end; and when the
// keeper itself is killed, the kernel kills the program and tracetax the rest.
package process
