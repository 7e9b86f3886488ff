package finding

import (
	"encoding/json"
	"math"
)

// Number is a figure that may be unknown: null in JSON, never zero.
type Number float64

// NotKnown is an unknown figure.
func NotKnown() Number { return Number(math.NaN()) }

// AtLeastZero is a figure, or an unknown one where it is below zero: what is there cannot be told from noise.
func AtLeastZero(v float64) Number {
	if v < 0 {
		return NotKnown()
	}
	return Number(v)
}

// Known reports whether the figure is known.
func (n Number) Known() bool { return !math.IsNaN(float64(n)) }

// MarshalJSON writes null where the figure is unknown.
func (n Number) MarshalJSON() ([]byte, error) {
	if !n.Known() {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

// UnmarshalJSON reads null as unknown.
func (n *Number) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*n = NotKnown()
		return nil
	}
	return json.Unmarshal(text, (*float64)(n))
}
