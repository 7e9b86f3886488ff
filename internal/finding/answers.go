package finding

// Answers are those that an operation of a variant got in all measured windows, by their status: of operations for which
// several are right, as where some fail on purpose.
type Answers struct {
	Operation string            `json:"operation"`
	Parameter map[string]string `json:"parameter,omitempty"`
	Variant   string            `json:"variant"`
	Statuses  map[int]uint64    `json:"statuses"`
}
