// From values to places.

package main

import (
	"fmt"
	"math"
	"strings"
)

// axis has values in a unit, from left to right. It is linear, or logarithmic on both sides of 0 beyond a value: what lies nearer
// to 0 stays linear.
type axis struct {
	left, right float64
	low, high   float64 // bent, at left and at right
	unit        string
	beyond      float64 // 0 where all is linear
	ticks       []float64
}

// newAxis spans 0 and the values from low to high.
func newAxis(left, right, low, high float64, unit string, beyond float64) axis {
	low, high = min(low, 0), max(high, 0)
	if low == high {
		high = 1
	}
	a := axis{left: left, right: right, unit: unit, beyond: beyond}
	a.ticks = a.choose(low, high)
	a.low, a.high = a.bent(low), a.bent(high)
	return a
}

func (a axis) bent(v float64) float64 {
	if a.beyond == 0 || math.Abs(v) <= a.beyond {
		return v
	}
	return math.Copysign(a.beyond*(1+math.Log(math.Abs(v)/a.beyond)), v)
}

// at is the place of a value.
func (a axis) at(v float64) float64 {
	return a.left + (a.bent(v)-a.low)/(a.high-a.low)*(a.right-a.left)
}

// choose returns round values between low and high, with room for the text of each.
func (a axis) choose(low, high float64) []float64 {
	const room = 44
	rough := (high - low) / (a.right - a.left) * room
	power := math.Pow(10, math.Floor(math.Log10(rough)))
	step, times := 10*power, []float64{}
	for _, of := range []float64{5, 2.5, 2, 1} {
		if of*power >= rough {
			step = of * power
		}
	}
	for i := math.Ceil(low / step); i <= math.Floor(high/step); i++ {
		times = append(times, i)
	}
	if a.beyond > 0 {
		step, times = a.beyond, []float64{-50, -25, -5, -1, 0, 1, 5, 25, 50}
	}
	var ticks []float64
	for _, of := range times {
		if v := of * step; low <= v && v <= high {
			ticks = append(ticks, v)
		}
	}
	return ticks
}

// draw draws the lines of the ticks from top to bottom, and their texts below.
func (a axis) draw(d *drawing, top, bottom float64) {
	for _, v := range a.ticks {
		class, says := "grid", strings.ReplaceAll(fmt.Sprintf("%.6g %s", v, a.unit), "-", "−")
		if v == 0 {
			v, class, says = 0, "zero", "0" // and not −0
		}
		d.put(`<path class="%s" data-tick="%.6g" d="M%.1f %.1fV%.1f"/>`, class, v, a.at(v), top, bottom)
		d.text("tick", a.at(v), bottom+16, says)
	}
}
