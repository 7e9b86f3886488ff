// Package machine owns what can be read and measured of the machine that tracetax runs on: its kernel, CPUs, memory, its load,
// what the host takes of it, and how much its CPUs slow each other. It knows nothing of runs.
package machine

import (
	"os"
	"runtime"
)

// Facts is what does not change while an experiment lasts; it is written to
// environment.json.
type Facts struct {
	OS          string  `json:"os"`
	Arch        string  `json:"arch"`
	Kernel      string  `json:"kernel,omitempty"`
	CPUModel    string  `json:"cpu_model,omitempty"`
	CPUs        int     `json:"cpus"` // that this process may use
	MemoryBytes uint64  `json:"memory_bytes,omitempty"`
	Governor    string  `json:"governor,omitempty"` // of CPU frequency; "" if unknown
	Hypervisor  bool    `json:"hypervisor"`         // a virtual machine, by the CPU's own flag
	LoadAverage float64 `json:"load_average"`       // one minute, when it was read
	Go          string  `json:"go"`                 // that tracetax was built with
}

// Read returns the facts. Unknown ones are empty.
func Read() Facts {
	f := Facts{OS: runtime.GOOS, Arch: runtime.GOARCH, CPUs: runtime.NumCPU(), Go: runtime.Version()}
	f.LoadAverage, _ = LoadAverage()
	describe(&f)
	return f
}

// firstLine returns the first line of a small file, empty where there is none.
func firstLine(path string) string {
	content, err := os.ReadFile(path)
	if err != nil {
		return "" // unknown
	}
	for i, c := range content {
		if c == '\n' {
			return string(content[:i])
		}
	}
	return string(content)
}
