package finding

// Answers are those that an operation of a variant got in all measured windows, by their status: of operations for which
// several are right, as where some fail on purpose.
type Answers struct {
	Operation string            `json:"operation"`           // the operation; "" for the whole run
	Parameter map[string]string `json:"parameter,omitempty"` // the level of what was varied between phases, as {"connections": "4"}; levels are never mixed
	Variant   string            `json:"variant"`             // name of the variant
	Statuses  map[int]uint64    `json:"statuses"`            // how many answers it got, by status
}
