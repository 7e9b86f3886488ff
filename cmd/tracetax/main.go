// Command tracetax tells what tracing costs a program, and why.
package main

import (
	"os"

	"github.com/tracetax/tracetax/internal/cli"
	_ "github.com/tracetax/tracetax/lab" // what studies need; without this line all else works
)

func main() {
	os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
