package series

import "testing"

// What a level brings is counted per doubling, however far the levels lie apart.
func TestGainIsPerDoubling(t *testing.T) {
	curve := func(factor, gain float64) []level {
		var out []level
		x, y := 1.0, 100.0
		for range 4 {
			values := map[int]float64{}
			for block := 1; block <= 10; block++ {
				values[block] = y * (1 + 0.001*float64(block))
			}
			out = append(out, level{x, values})
			x, y = x*factor, y*gain
		}
		return out
	}
	if knee := kneeOf(curve(4, 1.15), "connections", func(confidence float64) float64 { return confidence }); knee == nil || knee.X != 1 {
		t.Errorf("15 %% for two doublings is little: %+v", knee)
	}
	if knee := kneeOf(curve(1.2, 1.05), "connections", func(confidence float64) float64 { return confidence }); knee != nil {
		t.Errorf("5 %% for a quarter of a doubling is much: %+v", knee)
	}
}
