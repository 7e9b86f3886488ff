// The checks of doctor that only look.

package cli

import (
	"fmt"
	"os"

	"github.com/tracetax/tracetax/internal/artifact"
	"github.com/tracetax/tracetax/internal/machine"
	"github.com/tracetax/tracetax/internal/process"
)

func checkCPUs(f machine.Facts) check {
	c := check{Name: "CPUs", Status: "ok", Says: fmt.Sprintf("%d", f.CPUs)}
	switch place := process.Places(1); {
	case place.Shared:
		c.Status, c.Says = "bad", c.Says+": the program under test shares it with the load generator and the sink"
		c.Advice = "use a machine with at least 2 CPUs; on this one only large differences can be seen"
	default:
		c.Says += fmt.Sprintf(": %v for the program under test, %v for everything else", place.App, place.Harness)
	}
	if f.Hypervisor {
		c.Says += "; virtual: the host may take time away, which is watched and reported"
	}
	return c
}

func checkAccounting() check {
	how := process.Detect()
	c := check{Name: "CPU accounting", Status: "ok", Says: how}
	if how == "clock" {
		c.Status, c.Says = "note", "by the CPU clocks of processes; no right to make cgroups"
		c.Advice = "run as root, or with a delegated cgroup, for exact charges of short-lived children and for quotas"
	}
	return c
}

func checkLoad(f machine.Facts) check {
	c := check{Name: "load", Status: "ok", Says: fmt.Sprintf("%.2f over the last minute", f.LoadAverage)}
	if f.LoadAverage > 0.5*float64(f.CPUs) {
		c.Status, c.Advice = "note", "other programs are at work: end them, or expect wide intervals"
	}
	return c
}

func checkGovernor(f machine.Facts) check {
	c := check{Name: "CPU frequency", Status: "ok", Says: f.Governor}
	switch f.Governor {
	case "":
		c.Says = "not told by the kernel, as on most virtual machines"
	case "performance":
	default:
		c.Status, c.Advice = "note", "set the governor to performance, so that the same work costs the same time"
	}
	return c
}

func checkCache() check {
	store, err := artifact.Open("")
	if err != nil {
		return check{Name: "cache", Status: "bad", Says: err.Error()}
	}
	probe, err := os.CreateTemp(store.Dir(), "doctor-*")
	if err != nil {
		return check{Name: "cache", Status: "bad", Says: "cannot be written to: " + err.Error(), Advice: "set " + artifact.Variable + " to a folder"}
	}
	probe.Close()
	os.Remove(probe.Name())
	if err := store.Sweep(); err != nil {
		return check{Name: "cache", Status: "note", Says: store.Dir() + ": " + err.Error(), Advice: "remove it by hand"}
	}
	return check{Name: "cache", Status: "ok", Says: store.Dir()}
}
