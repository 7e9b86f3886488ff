package record

// Backend is what the backend says that spans went to, in the place of the sink, over the life of the processes.
type Backend struct {
	Name     string  `json:"name"`               // of the backend
	Stored   uint64  `json:"stored"`             // spans, by its counters
	Dropped  uint64  `json:"dropped,omitempty"`  // spans that it took in and threw away, by its counters
	Astray   uint64  `json:"astray,omitempty"`   // spans that came to the sink in its place: they are in no other count
	Answered *uint64 `json:"answered,omitempty"` // spans that it gave when it was asked for all; nil: it was not known how many
	Untold   string  `json:"untold,omitempty"`   // why not
}
