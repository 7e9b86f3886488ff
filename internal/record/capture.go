package record

import "time"

// Captures is the folder of kept packets: VARIANT-BLOCK.pcap and VARIANT-BLOCK-2.pcap, with a Capture in VARIANT-BLOCK.json.
const Captures = "captures" // in the results; of several workloads each has a folder in it

// Capture is what the packets of a run do not tell: whose addresses they have, and when its phases were.
type Capture struct {
	Workload  string         `json:"workload"`
	Variant   string         `json:"variant"`
	Block     int            `json:"block"`
	Files     []string       `json:"files"`             // in the same folder
	Dropped   *uint64        `json:"dropped,omitempty"` // packets that the kernel dropped; nil: not known
	Processes []Captured     `json:"processes"`
	Phases    []CapturePhase `json:"phases"`
}

// Captured is a process whose packets may be in a capture.
type Captured struct {
	Name    string `json:"name"`
	Role    string `json:"role"`
	Address string `json:"address"`         // of 127.0.0.0/8
	Ports   []int  `json:"ports"`           // where it may listen
	Store   string `json:"store,omitempty"` // the kind of a real store: redis, memcached, mongodb
}

// CapturePhase is the time of an operation's load, warm-up and drains included.
type CapturePhase struct {
	Operation string    `json:"operation"`
	Level     string    `json:"level,omitempty"` // connections=4
	Begin     time.Time `json:"begin"`
	End       time.Time `json:"end"`
}
