// The tables of the studies: rows by what their columns hold, and the figures in them.

package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"html"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// row is a line of a table: its cells by the names of their columns, and the name of the table in the column "".
type row map[string]string

// rowsOf are those of a table that hold what is wanted, in its order. It fails on a table that cannot be read, or has no such row.
func rowsOf(folder, table string, want row) ([]row, error) {
	file, err := os.Open(filepath.Join(folder, table+".csv"))
	if err != nil {
		return nil, fmt.Errorf("reading the table %s: %w", table, err)
	}
	lines, err := csv.NewReader(file).ReadAll()
	if err := errors.Join(err, file.Close()); err != nil {
		return nil, fmt.Errorf("reading the table %s: %w", table, err)
	}
	var out []row
	for n, line := range lines {
		r := row{"": table}
		for i, cell := range line {
			r[lines[0][i]] = cell
		}
		if n > 0 && r.holds(want) {
			out = append(out, r)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("the table %s has no row with %v: measure it, or take it out of pictures.go", table, map[string]string(want))
	}
	return out, nil
}

func (r row) holds(want row) bool {
	for column, cell := range want {
		if has, known := r[column]; !known || has != cell {
			return false
		}
	}
	return true
}

// and is r with more. Where both have a column, the text of r comes first.
func (r row) and(more row) row {
	out := row{}
	maps.Copy(out, r)
	for column, cell := range more {
		out[column] += cell
	}
	return out
}

// key names the row within its table; the rows of several series of published figures have the same.
func (r row) key() string {
	return strings.Join([]string{r["workload"], r["operation"], r["parameter"], r["variant"], r["metric"]}, "|")
}

// figure is an amount in the unit of an axis. Without a 95 % interval both of its ends are the value.
type figure struct {
	value, low, high float64
	interval         bool
}

// figure reads a column and its interval, times what brings it to the unit of the axis; nil where the cell is empty. It fails on
// a cell that is no number, and on half an interval.
func (r row) figure(column string, times float64) (*figure, error) {
	if r[column] == "" {
		return nil, nil
	}
	columns := []string{column}
	if r[column+"_low"]+r[column+"_high"] != "" {
		columns = append(columns, column+"_low", column+"_high")
	}
	var values []float64
	for _, c := range columns {
		v, err := strconv.ParseFloat(r[c], 64)
		if err != nil {
			return nil, fmt.Errorf("the table %s has %q for %s of %s, which is no number: write it anew", r[""], r[c], c, r.key())
		}
		values = append(values, v*times)
	}
	if len(values) == 1 {
		return &figure{values[0], values[0], values[0], false}, nil
	}
	return &figure{values[0], values[1], values[2], true}, nil
}

// cells are the attributes of a mark: the table, row and column that it stands for, and what they hold.
func (r row) cells(column string) string {
	attributes := [][2]string{
		{"table", r[""]}, {"row", r.key()}, {"column", column}, {"value", r[column]}, {"low", r[column+"_low"]}, {"high", r[column+"_high"]},
	}
	if strings.HasPrefix(column, "published_") {
		attributes = append(attributes, [2]string{"series", r["series"]})
	}
	s := ""
	for _, a := range attributes {
		if a[1] != "" {
			s += fmt.Sprintf(` data-%s="%s"`, a[0], html.EscapeString(a[1]))
		}
	}
	return s
}
