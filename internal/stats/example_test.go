// What a caller does with the package, as documentation that is run.

package stats_test

import (
	"fmt"

	"github.com/tracetax/tracetax/internal/stats"
)

// Eight blocks, CPU per operation in µs without and with a tracer.
var (
	without = []float64{101, 98, 104, 99, 100, 103, 97, 102}
	with    = []float64{112, 110, 113, 111, 113, 114, 108, 115}
)

// What tracing costs, relative and absolute.
func Example() {
	logs, err := stats.LogRatios(without, with)
	if err != nil {
		fmt.Println(err)
		return
	}
	relative := stats.Ratio(stats.SignedRank(logs, 0.95))
	fmt.Printf("costs %.1f %% (%.1f to %.1f), %.1f %% confidence\n",
		100*relative.Center, 100*relative.Low, 100*relative.High, 100*relative.Confidence)

	d, err := stats.Differences(without, with)
	if err != nil {
		fmt.Println(err)
		return
	}
	absolute := stats.SignedRank(d, 0.95)
	fmt.Printf("costs %.1f µs (%.1f to %.1f)\n", absolute.Center, absolute.Low, absolute.High)
	// Output:
	// costs 11.6 % (10.0 to 12.6), 96.1 % confidence
	// costs 11.5 µs (10.0 to 12.5)
}

// A budget is kept if the whole interval is below it, and broken if the whole
// interval is above it.
func ExampleEstimate_Against() {
	logs, _ := stats.LogRatios(without, with)
	relative := stats.Ratio(stats.SignedRank(logs, 0.95))
	for _, budget := range []float64{0.05, 0.12, 0.15} {
		switch relative.Against(budget) {
		case stats.Below:
			fmt.Printf("%2.0f %%: within\n", 100*budget)
		case stats.Above:
			fmt.Printf("%2.0f %%: over\n", 100*budget)
		case stats.Straddles:
			fmt.Printf("%2.0f %%: cannot tell yet\n", 100*budget)
		case stats.Unknown:
			fmt.Printf("%2.0f %%: too few blocks\n", 100*budget)
		}
	}
	// Output:
	//  5 %: over
	// 12 %: cannot tell yet
	// 15 %: within
}

// The more is claimed at once, the more blocks it takes to claim anything.
func ExampleBonferroni() {
	for _, claims := range []int{1, 3, 10, 30} {
		confidence := stats.Bonferroni(0.95, claims)
		fmt.Printf("%2d claims: each at %.2f %%, at least %d blocks\n", claims, 100*confidence, stats.MinBlocks(confidence))
	}
	// Output:
	//  1 claims: each at 95.00 %, at least 6 blocks
	//  3 claims: each at 98.33 %, at least 7 blocks
	// 10 claims: each at 99.50 %, at least 9 blocks
	// 30 claims: each at 99.83 %, at least 11 blocks
}

// How many blocks it would take until an interval excludes 12 %.
func ExampleBlocksToExclude() {
	logs, _ := stats.LogRatios(without, with)
	fmt.Println(stats.BlocksToExclude(logs, stats.LogLimit(0.12), 0.95, 1000))
	// Output: 59
}

func ExampleModes() {
	quiet := []float64{1.00, 1.01, 0.99, 1.02, 0.98, 1.00, 1.01, 0.99}
	torn := []float64{1.25, 1.01, 1.24, 0.99, 1.26, 1.00, 1.25, 1.24}
	r := stats.Modes(quiet, torn)
	fmt.Println(r.Differ)
	for _, m := range r.Value {
		fmt.Printf("%d runs (%.0f %%) at %.2f\n", m.Runs, 100*m.Share, m.Center)
	}
	// Output:
	// true
	// 3 runs (38 %) at 1.00
	// 5 runs (62 %) at 1.25
}

// A sampler of 10 % lets through so many of a million spans, at 99.9 %.
func ExampleBinomialBand() {
	fmt.Println(stats.BinomialBand(1_000_000, 0.1, 0.999))
	// Output: 99014 100988
}
