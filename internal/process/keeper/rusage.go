package keeper

// Adding up what the kernel says of ended processes.

import "syscall"

// add sums what sums up; the largest resident size is the larger one.
func add(a *syscall.Rusage, b syscall.Rusage) {
	a.Utime = syscall.NsecToTimeval(a.Utime.Nano() + b.Utime.Nano())
	a.Stime = syscall.NsecToTimeval(a.Stime.Nano() + b.Stime.Nano())
	a.Maxrss = max(a.Maxrss, b.Maxrss)
	a.Minflt += b.Minflt
	a.Majflt += b.Majflt
	a.Inblock += b.Inblock
	a.Oublock += b.Oublock
	a.Nvcsw += b.Nvcsw
	a.Nivcsw += b.Nivcsw
}
