// Command burn burns CPU in two functions, 70 and 30 parts: for ever, or, with an address, for each request to it.
package main

import (
	"fmt"
	"math"
	"net/http"
	"os"
)

var sum float64

func main() {
	if len(os.Args) < 2 {
		for {
			both()
		}
	}
	http.HandleFunc("GET /work", func(w http.ResponseWriter, _ *http.Request) { both(); fmt.Fprint(w, "done") })
	fmt.Fprintln(os.Stderr, http.ListenAndServe(os.Args[1], nil))
	os.Exit(1)
}

func both() {
	burnMuch(70_000)
	burnLittle(30_000)
}

//go:noinline
func burnMuch(n int) {
	for i := range n {
		sum += math.Sqrt(float64(i))
	}
}

//go:noinline
func burnLittle(n int) {
	for i := range n {
		sum += math.Sqrt(float64(i))
	}
}
