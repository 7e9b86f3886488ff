package main

import (
	"encoding/csv"
	"encoding/xml"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const docs = "../../../docs"

// The pictures in docs/images are those that the tables in docs/studies make now.
func TestPicturesAreOfTheirTables(t *testing.T) {
	temp := t.TempDir()
	studies, err := filepath.Abs(filepath.Join(docs, "studies"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(studies, filepath.Join(temp, "studies")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(temp, "images"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := write(temp); err != nil {
		t.Fatal(err)
	}
	drawn, committed := images(t, temp), images(t, docs)
	for _, name := range slices.Sorted(maps.Keys(drawn)) {
		if drawn[name] != committed[name] {
			t.Errorf("docs/images/%s is not what its tables make now: run make plots", name)
		}
	}
	for name := range committed {
		if _, has := drawn[name]; !has {
			t.Errorf("no picture of this package is docs/images/%s: delete it, or add a row for it to pictures.go", name)
		}
	}
}

func images(t *testing.T, docs string) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(docs, "images", "*.svg"))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		out[filepath.Base(file)] = string(text)
	}
	return out
}

// shown is what a picture has to show of a table: the column, of all rows that are meant.
type shown struct {
	picture, table, column string
	meant                  func(r map[string]string) bool
}

func of(metric string) func(map[string]string) bool {
	return func(r map[string]string) bool { return r["metric"] == metric && r["variant"] != "none" }
}

func both(a, b func(map[string]string) bool) func(map[string]string) bool {
	return func(r map[string]string) bool { return a(r) && b(r) }
}

func holding(column, pattern string) func(map[string]string) bool {
	whole := regexp.MustCompile("^(" + pattern + ")$")
	return func(r map[string]string) bool { return whole.MatchString(r[column]) }
}

var everything = []shown{
	{"calls-baseline", "calls-baseline", "added", of("time_per_call")},
	{"functions", "functions", "cost", of("benchmark_time_mean")},
	{"graphs", "graphs-throughput", "cost", of("throughput")},
	{"proxy-batching", "proxy-batching", "cost", of("cpu_per_operation")},
	{"requests-throughput", "requests-throughput", "cost", of("capacity")},
	{"tiers-overhead", "tiers-overhead", "cost", of("cpu_per_operation")},
	{"causes", "causes-requests", "absolute", both(holding("operation", "db"), holding("metric", byStage))},
	{"causes", "causes-functions", "absolute", both(holding("operation", "dynamic-html"), holding("metric", byStage))},
	{"causes", "causes-calls", "absolute", both(holding("variant", "otel|elastic|kieker|skywalking"), holding("metric", byTask))},
}

const (
	byStage = "cpu_(per_operation|stage_.*|unseen|other_processes|program)"
	byTask  = "cpu_(per_operation|task_.*|no_rule|runtime|program)"
)

// cellsShown are the cells that a picture has to show, by table, row, column and series: value, low, high, lossy.
func cellsShown(t *testing.T, picture string) map[string][4]string {
	t.Helper()
	out := map[string][4]string{}
	for _, s := range everything {
		if s.picture != picture {
			continue
		}
		file, err := os.Open(filepath.Join(docs, "studies", s.table+".csv"))
		if err != nil {
			t.Fatal(err)
		}
		lines, err := csv.NewReader(file).ReadAll()
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range lines[1:] {
			r := map[string]string{}
			for i, cell := range line {
				r[lines[0][i]] = cell
			}
			if !s.meant(r) || r["role"]+r["service"] != "" || r["against"] != "" && r["against"] != "none" {
				continue
			}
			place := s.table + " " + strings.Join([]string{r["workload"], r["operation"], r["parameter"], r["variant"], r["metric"]}, "|")
			if r[s.column] != "" {
				out[place+" "+s.column+" "] = [4]string{r[s.column], r[s.column+"_low"], r[s.column+"_high"], r["lossy"]}
			}
			if cell := r["published_"+s.column]; cell != "" {
				out[place+" published_"+s.column+" "+r["series"]] = [4]string{cell, "", "", ""}
			}
		}
	}
	return out
}

// Each picture in docs/images shows all cells that it has to, each once and as they are, each at its place on the axis.
func TestMarksHoldTheirCells(t *testing.T) {
	files := images(t, docs)
	if len(files) != len(pictures) {
		t.Fatalf("%d pictures in docs/images, %d in pictures.go", len(files), len(pictures))
	}
	for name, text := range files {
		var root node
		if err := xml.Unmarshal([]byte(text), &root); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		left := cellsShown(t, strings.TrimSuffix(name, ".svg"))
		if len(left) < 10 {
			t.Errorf("%s has to show %d cells: is its row in 'everything' right?", name, len(left))
		}
		for _, axes := range root.all("data-times") {
			at := scale(t, name, axes)
			ends := map[string]float64{} // of the stacks, by row and side
			for _, mark := range axes.all("data-table") {
				key := strings.Join([]string{mark.attr("data-table"), mark.attr("data-row"), mark.attr("data-column"), mark.attr("data-series")}, " ")
				cells, has := left[key]
				if !has {
					t.Errorf("%s shows %q, which it has not to, or twice", name, key)
					continue
				}
				delete(left, key)
				shows := [4]string{mark.attr("data-value"), mark.attr("data-low"), mark.attr("data-high"), cells[3]}
				if shows != cells || strings.Contains(mark.attr("class"), "lossy") != (cells[3] == "true") {
					t.Errorf("%s shows %v of class %q for %q, and its table has %v", name, shows[:3], mark.attr("class"), key, cells)
				}
				for _, problem := range misplaced(mark, cells, at, ends) {
					t.Errorf("%s, %s: %s", name, key, problem)
				}
			}
		}
		for key := range left {
			t.Errorf("%s does not show %q", name, key)
		}
	}
}

// scale returns the place of a cell's figure from the ticks of its axis, by itself.
func scale(t *testing.T, name string, axes node) func(cell string) float64 {
	t.Helper()
	beyond, times := number(axes.attr("data-beyond")), number(axes.attr("data-times"))
	bent := func(v float64) float64 {
		if beyond > 0 && v > beyond {
			return beyond + beyond*math.Log(v/beyond)
		} else if beyond > 0 && v < -beyond {
			return -beyond - beyond*math.Log(-v/beyond)
		}
		return v
	}
	ticks := axes.all("data-tick")
	if len(ticks) < 2 {
		t.Fatalf("%s has an axis with %d ticks", name, len(ticks))
	}
	place := func(n node) float64 { return numbers(n.attr("d"))[0] }
	first, last := ticks[0], ticks[len(ticks)-1]
	v1, v2 := bent(number(first.attr("data-tick"))), bent(number(last.attr("data-tick")))
	return func(cell string) float64 {
		return place(first) + (bent(number(cell)*times)-v1)/(v2-v1)*(place(last)-place(first))
	}
}

// misplaced says what of a mark is not where its cells are on the axis.
func misplaced(mark node, cells [4]string, at func(string) float64, ends map[string]float64) []string {
	var problems []string
	check := func(what string, got, want float64) {
		if math.IsNaN(want) || math.Abs(got-want) > 0.2 {
			problems = append(problems, fmt.Sprintf("%s is at %.2f, and belongs to %.2f", what, got, want))
		}
	}
	span := func(n node) (from, to float64) {
		x := number(n.attr("x"))
		return x, x + number(n.attr("width"))
	}
	whisker := func(n node) {
		d := numbers(n.attr("d")) // low y, high, …
		check("the low end", d[0], at(cells[1]))
		check("the high end", d[2], at(cells[2]))
	}
	switch class := mark.attr("class"); {
	case class == "mark":
		check("the mark", numbers(mark.attr("transform"))[0], at(cells[0]))
	case class == "whole":
		whisker(mark)
	case strings.HasPrefix(class, "part"):
		from, to := span(mark)
		side := strconv.FormatBool(number(cells[0]) < 0) + mark.attr("y")
		begin, has := ends[side]
		if !has {
			begin = at("0")
		}
		end := begin + at(cells[0]) - at("0")
		check("the left end", from, min(begin, end))
		check("the right end", to, max(begin, end))
		ends[side] = end
	case strings.HasPrefix(class, "bar") && len(mark.Nodes) > 0:
		from, to := span(mark.Nodes[0])
		check("the left end", from, min(at("0"), at(cells[0])))
		check("the right end", to, max(at("0"), at(cells[0])))
		if has := len(mark.Nodes) == 2; has != (cells[1] != "") {
			problems = append(problems, fmt.Sprintf("whiskers: %v", has))
		} else if has {
			whisker(mark.Nodes[1])
		}
	default:
		problems = append(problems, "the class "+class+" is unknown")
	}
	return problems
}

// node is an element of a picture.
type node struct {
	Attrs []xml.Attr `xml:",any,attr"`
	Nodes []node     `xml:",any"`
}

func (n node) attr(name string) string {
	for _, a := range n.Attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// all are the elements in n that have an attribute, in their order.
func (n node) all(attribute string) []node {
	var out []node
	for _, in := range n.Nodes {
		if in.attr(attribute) != "" {
			out = append(out, in)
		}
		out = append(out, in.all(attribute)...)
	}
	return out
}

// number reads a figure; what is none is at no place.
func number(s string) float64 {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return math.NaN()
	}
	return v
}

func numbers(s string) []float64 {
	var out []float64
	for _, of := range regexp.MustCompile(`-?[0-9.]+`).FindAllString(s, -1) {
		out = append(out, number(of))
	}
	return out
}

// The pictures have the colours of the results page.
func TestColoursAreThePages(t *testing.T) {
	text, err := os.ReadFile("../../../internal/report/page/assets/page.css")
	if err != nil {
		t.Fatal(err)
	}
	first, second, _ := strings.Cut(string(text), "@media (prefers-color-scheme: dark)")
	for css, theme := range map[string]theme{first: light, second: dark} {
		page := map[string]string{}
		for _, found := range regexp.MustCompile(`--(\w+): (#\w+);`).FindAllStringSubmatch(css, -1) {
			if _, has := page[found[1]]; !has { // what follows are other pages
				page[found[1]] = found[2]
			}
		}
		want := map[string]string{"paper": theme.paper, "ink": theme.ink, "soft": theme.soft, "line": theme.line}
		for i, colour := range theme.colours[:len(theme.colours)-1] {
			want[fmt.Sprint("c", i)] = colour
		}
		for name, colour := range want {
			if page[name] != colour {
				t.Errorf("--%s of the page is %q, and %q here", name, page[name], colour)
			}
		}
	}
}
