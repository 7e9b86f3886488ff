// Figures that a study published: a CSV file beside the experiment.

package config

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/tracetax/tracetax/internal/config/program"
)

// publishedColumns are the columns of the file; the header line has all of them, in any order.
var publishedColumns = []string{"source", "workload", "operation", "variant", "metric", "parameter", "value", "spread", "note"}

const maxPublished = 5_000 // figures

// readPublished reads the name of a CSV file, or, in a resolved experiment, its lines.
func readPublished(s *program.Source, n *program.Node, known studied) []Published {
	if n.Kind == program.List {
		return readFigures(s, strings.Join(s.Texts(n), "\n"), s, func(line int) program.Place {
			return n.Items[min(max(line, 1), len(n.Items))-1].At
		}, known)
	}
	name := s.Line(n)
	if s.Open == nil || name == "" {
		s.Fail(n.At, "published names a CSV file beside this one, with the columns %s", strings.Join(publishedColumns, ","))
		return nil
	}
	text, err := s.Open(name)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			s.Fail(n.At, "published: there is no file %q beside this one", program.Printable(name))
		} else {
			s.Fail(n.At, "published: %v", err)
		}
		return nil
	}
	file := &program.Source{File: besideFile(s.File, name), Lines: strings.Split(string(text), "\n")}
	rows := readFigures(s, string(text), file, func(line int) program.Place { return program.Place{Line: line, Column: 1} }, known)
	s.Problems = append(s.Problems, file.Problems...)
	return rows
}

// besideFile is the name of a file that stands beside another one, as a user would
// write it.
func besideFile(file, name string) string {
	if i := strings.LastIndexAny(file, `/\`); i >= 0 && !strings.HasPrefix(name, "/") {
		return file[:i+1] + name
	}
	return name
}

// readFigures reads the lines of a CSV text; to gets what is wrong with them, each at
// the place of its line.
func readFigures(s *program.Source, text string, to *program.Source, at func(line int) program.Place, known studied) []Published {
	in := csv.NewReader(strings.NewReader(strings.TrimPrefix(text, program.ByteOrderMark)))
	in.Comment = '#'
	in.TrimLeadingSpace = true
	header, err := in.Read()
	if err != nil {
		to.Fail(at(1), "this is not CSV with the columns %s: %s", strings.Join(publishedColumns, ","), csvText(err))
		return nil
	}
	if !checkHeader(header, to, at(1)) {
		return nil
	}
	var out []Published
	for {
		row, err := in.Read()
		if errors.Is(err, io.EOF) {
			return out
		}
		var wrong *csv.ParseError
		if errors.As(err, &wrong) {
			to.Fail(at(wrong.Line), "%s", csvText(err))
			return nil
		}
		line, _ := in.FieldPos(0)
		if len(out) >= maxPublished {
			to.Fail(at(line), "there are more than %d figures", maxPublished)
			return nil
		}
		fields := map[string]string{}
		for i, name := range header {
			fields[name] = strings.TrimSpace(row[i])
		}
		figure, problems := readFigure(fields, known)
		for _, problem := range problems {
			to.Fail(at(line), "%s", problem)
		}
		out = append(out, figure)
	}
}

func csvText(err error) string {
	var wrong *csv.ParseError
	if errors.As(err, &wrong) {
		return wrong.Err.Error()
	}
	if errors.Is(err, io.EOF) {
		return "it is empty"
	}
	return err.Error()
}

// checkHeader wants each of the columns once.
func checkHeader(header []string, to *program.Source, at program.Place) bool {
	before := len(to.Problems)
	for i := range header {
		header[i] = strings.TrimSpace(header[i])
		switch {
		case !slices.Contains(publishedColumns, header[i]):
			to.Fail(at, "%s", program.Unknown("column", program.Printable(header[i]), publishedColumns))
		case slices.Contains(header[:i], header[i]):
			to.Fail(at, "column %s is here a second time", header[i])
		}
	}
	for _, name := range publishedColumns {
		if !slices.Contains(header, name) {
			to.Fail(at, "the column %s is missing; the columns are %s", name, strings.Join(publishedColumns, ","))
		}
	}
	return len(to.Problems) == before
}

// readFigure reads one line, and says what is wrong with it.
func readFigure(fields map[string]string, known studied) (Published, []string) {
	var problems []string
	fail := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	for name, text := range fields {
		if strings.ContainsFunc(text, unicode.IsControl) {
			fail("%s holds a control character", name)
		}
	}
	p := Published{
		Source: fields["source"], Workload: fields["workload"], Operation: fields["operation"],
		Variant: fields["variant"], Metric: fields["metric"], Note: fields["note"],
	}
	among := func(what, name string, all []string) {
		if !slices.Contains(all, name) {
			fail("%s", program.Unknown(what, program.Printable(name), all))
		}
	}
	operations := known.operations
	switch {
	case p.Workload != "":
		among("workload", p.Workload, known.own)
		if of, ok := known.of[p.Workload]; ok {
			operations = of
		}
	case len(known.own) > 1:
		fail("the experiment has several workloads; the column workload says which one the figure is of")
	}
	if p.Source == "" {
		fail("the column source is empty: authors, title, year")
	}
	if p.Operation != "" { // a mean over all of them
		among("operation", p.Operation, operations)
	}
	among("variant", p.Variant, known.variants)
	among("metric", p.Metric, program.MetricNames())
	var err error
	if p.Value, err = finite(fields["value"]); err != nil {
		fail("value: %v", err)
	}
	if fields["spread"] != "" {
		if p.Spread, err = finite(fields["spread"]); err != nil || p.Spread < 0 {
			fail("spread %q is not a standard deviation: a number from 0, or nothing", program.Printable(fields["spread"]))
		}
	}
	if p.Parameter, err = readParameter(fields["parameter"]); err != nil {
		fail("%v", err)
	}
	slices.Sort(problems)
	return p, problems
}

func finite(text string) (float64, error) {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, fmt.Errorf("%q is not a number (in the metric's unit, without one)", program.Printable(text))
	}
	return v, nil
}

var parameters = []string{ParameterRate, ParameterConnections, ParameterDepth, ParameterThreads}

// readParameter reads depth=8, several with blanks between them; "" is none.
func readParameter(text string) (map[string]string, error) {
	if text == "" {
		return nil, nil
	}
	out := map[string]string{}
	for word := range strings.FieldsSeq(text) {
		key, value, ok := strings.Cut(word, "=")
		switch {
		case !ok || value == "":
			return nil, fmt.Errorf("%q is not a parameter such as depth=8", program.Printable(word))
		case !slices.Contains(parameters, key):
			return nil, fmt.Errorf("%s", program.Unknown("parameter", program.Printable(key), parameters))
		case out[key] != "":
			return nil, fmt.Errorf("parameter %s is here a second time", key)
		}
		if key == ParameterRate {
			rate, err := program.ParseRate(value)
			if err != nil {
				return nil, err
			}
			value = program.FormatRate(rate)
		} else if n, err := strconv.Atoi(value); err != nil || n < 1 {
			return nil, fmt.Errorf("parameter %s=%s: the value is a whole number from 1", key, program.Printable(value))
		} else {
			value = strconv.Itoa(n)
		}
		out[key] = value
	}
	return out, nil
}

// publishedLines are the lines of the CSV file that readFigure reads as these.
func publishedLines(rows []Published) []string {
	out := []string{strings.Join(publishedColumns, ",")}
	for _, row := range rows {
		var parameter []string
		for _, key := range slices.Sorted(maps.Keys(row.Parameter)) {
			parameter = append(parameter, key+"="+row.Parameter[key])
		}
		spread := ""
		if row.Spread != 0 {
			spread = program.FormatNumber(row.Spread)
		}
		cells := []string{row.Source, row.Workload, row.Operation, row.Variant, row.Metric,
			strings.Join(parameter, " "), program.FormatNumber(row.Value), spread, row.Note}
		for i := range cells {
			cells[i] = csvCell(cells[i])
		}
		out = append(out, strings.Join(cells, ","))
	}
	return out
}

// csvCell is a text as one field of CSV.
func csvCell(text string) string {
	if strings.ContainsAny(text, "\",#") {
		return `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
	}
	return text
}
