// Whether a sample is large enough to speak of a quantile.

package stats

// above is how many values must lie above a quantile for it to be shown.
const above = 20

// QuantileSupported says whether n values are enough to show a percentile (0 to
// 100): at least 20 of them must lie above it. The maximum never is.
func QuantileSupported(n uint64, percentile float64) bool {
	if !(percentile >= 0 && percentile < 100) {
		return false
	}
	// 100 − 99.9 is not quite 0.1 in binary; the sliver makes 20,000 values enough.
	return float64(n)*(100-percentile)/100 >= above*(1-1e-9)
}
