package receiving

// This file reads a share on the command line.

import (
	"errors"
	"strconv"
	"strings"
)

// shareFlag is a flag whose value is a share from 0 to 1, written as 3% or 0.03.
type shareFlag float64

// Set reads a share. The percent sign moves the decimal point rather than divides,
// so that 33.3% is 0.333 and nothing beside it.
func (f *shareFlag) Set(text string) error {
	digits, percent := strings.CutSuffix(text, "%")
	if percent {
		digits += "e-2"
	}
	v, err := strconv.ParseFloat(digits, 64)
	if err != nil || !(v >= 0 && v <= 1) {
		return errors.New("not a share such as 3% or 0.03, from 0 to 100%")
	}
	*f = shareFlag(v)
	return nil
}

// String writes the share as a number.
func (f *shareFlag) String() string { return strconv.FormatFloat(float64(*f), 'g', -1, 64) }

// Type is how help calls the value.
func (f *shareFlag) Type() string { return "share" }
