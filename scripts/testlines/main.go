// Command testlines reads what 'go test -json' writes, and prints what 'go test' would: a line for each package, and the output
// of each test that failed or never ended. It ends with status 1 if a test or package did so. To the file that TRACETAX_TIMES
// names it adds a line for each test, and each part of one that ran beside others: seconds, package, test.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
)

func main() {
	times := io.Discard
	if name := os.Getenv("TRACETAX_TIMES"); name != "" {
		file, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644) // others append to it, too: each write is a line
		if err != nil {
			fmt.Fprintln(os.Stderr, "testlines:", err)
			os.Exit(1)
		}
		times = file
	}
	passed, err := filter(os.Stdin, os.Stdout, times)
	if err != nil {
		fmt.Fprintln(os.Stderr, "testlines:", err)
	}
	if err != nil || !passed {
		os.Exit(1)
	}
}

// event is a line of 'go test -json'; 'go doc test2json' has its fields. Build errors have an action of their own.
type event struct {
	Action, Package, Test, Output string
	Elapsed                       float64 // seconds
}

// running is a package whose tests have not all ended.
type running struct {
	said   map[string]*strings.Builder // by test; "" is the package itself
	order  []string                    // the tests, as they began
	paused map[string]bool             // the tests that wait until those before them end: their time is theirs alone
	ended  []event
}

// filter reads events until their end. passed: nothing failed, and each package that began has ended.
func filter(events io.Reader, out, times io.Writer) (passed bool, err error) {
	passed = true
	packages := map[string]*running{}
	lines := bufio.NewReader(events)
	for {
		line, err := lines.ReadString('\n')
		if err == io.EOF && line == "" {
			break
		}
		if err != nil && err != io.EOF {
			return false, err
		}
		var e event
		if json.Unmarshal([]byte(line), &e) != nil {
			fmt.Fprint(out, line) // go's own words
			continue
		}
		if e.Package == "" { // of a build; a package that needs it then fails
			fmt.Fprint(out, e.Output)
			continue
		}
		p := packages[e.Package]
		if p == nil {
			p = &running{said: map[string]*strings.Builder{}, paused: map[string]bool{}}
			packages[e.Package] = p
		}
		switch {
		case e.Action == "output":
			p.add(e)
		case e.Action == "pause":
			p.paused[e.Test] = true
		case e.Action != "pass" && e.Action != "fail" && e.Action != "skip": // it begins, or goes on
		case e.Test != "":
			p.end(e, out)
			passed = passed && e.Action != "fail"
		default:
			p.close(e, out, times)
			delete(packages, e.Package)
			passed = passed && e.Action != "fail"
		}
	}
	for name, p := range packages {
		p.close(event{Action: "fail", Package: name}, out, times)
		fmt.Fprintf(out, "FAIL\t%s\tnever ended\n", name)
		passed = false
	}
	return passed, nil
}

// add keeps what a test or its package said, but for the marks that it begins, waits and goes on.
func (p *running) add(e event) {
	if strings.HasPrefix(e.Output, "=== ") {
		return
	}
	if p.said[e.Test] == nil {
		p.said[e.Test] = &strings.Builder{}
		p.order = append(p.order, e.Test)
	}
	p.said[e.Test].WriteString(e.Output)
}

// end ends a test: what it said is printed if it failed.
func (p *running) end(e event, out io.Writer) {
	if e.Action == "fail" {
		p.print(e.Test, out)
	}
	delete(p.said, e.Test)
	p.ended = append(p.ended, e)
}

// close ends a package. One that failed says all it has to, and so do those of its tests that have not ended.
func (p *running) close(e event, out, times io.Writer) {
	whole := ""
	if p.said[""] != nil {
		whole = p.said[""].String()
	}
	if e.Action == "fail" {
		for _, test := range p.order {
			p.print(test, out)
		}
		whole = ""
	}
	for line := range strings.Lines(whole) {
		if strings.HasPrefix(line, "ok ") && !strings.HasSuffix(line, "[no tests to run]\n") {
			fmt.Fprint(out, line)
		}
	}
	if strings.Contains(whole, "\t(cached)") { // it took no time now
		return
	}
	for _, e := range p.ended {
		if p.paused[e.Test] || !strings.Contains(e.Test, "/") { // of other parts the test has the time
			fmt.Fprintf(times, "%8.2f %s %s\n", e.Elapsed, strings.TrimPrefix(e.Package, "github.com/tracetax/tracetax/"), e.Test)
		}
	}
}

func (p *running) print(test string, out io.Writer) {
	if p.said[test] != nil {
		fmt.Fprint(out, p.said[test])
	}
}
