package rawdata

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/record"
)

// result makes a results folder of so many blocks; rows says how many durations a run has,
// negative for a run that failed.
func result(t *testing.T, blocks int, variants []string, parameter map[string]string, rows func(block int, variant string) int) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "samples"), 0o755); err != nil {
		t.Fatal(err)
	}
	var runs strings.Builder
	for block := 1; block <= blocks; block++ {
		for _, v := range variants {
			n := rows(block, v)
			r := record.Record{Schema: record.Schema, Kind: record.Measured, Variant: v, Block: block}
			if n < 0 {
				r.Failure = &record.Failure{Stage: "load", Message: "broke off"}
			} else {
				samples := fmt.Sprintf("samples/%s-%d-call.csv.gz", v, block)
				pack(t, filepath.Join(dir, samples), block, n)
				r.Phases = []record.Phase{{Operation: "call", Parameter: parameter, Load: record.Load{Driven: &record.Driven{Threads: 1, Depth: 10, Samples: samples}}}}
			}
			line, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			runs.Write(append(line, '\n'))
		}
	}
	if err := os.WriteFile(filepath.Join(dir, record.RunsFile), []byte(runs.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

func pack(t *testing.T, path string, block, n int) {
	t.Helper()
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	packed := gzip.NewWriter(file)
	for i := range n {
		fmt.Fprintf(packed, "0;%d;4096;%d\n", 1000*block+i, 0)
	}
	if err := packed.Close(); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
}

var variants = []string{"none", "kieker"}

// The files are read as statistics.r reads them: the settings name them, and of each so many
// rows are taken, of four columns; the second is the duration.
func TestMooBench(t *testing.T) {
	dir := result(t, 3, variants, nil, func(block int, variant string) int {
		if variant == "kieker" && block == 2 {
			return 5
		}
		return 8
	})
	folder := filepath.Join(t.TempDir(), "raw")
	if err := MooBench(dir, folder, variants); err != nil {
		t.Fatal(err)
	}
	settings := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^([a-z._]+)=(.*)$`).FindAllStringSubmatch(text(t, filepath.Join(folder, "configs-10.r")), -1) {
		settings[m[1]] = strings.Trim(m[2], `"`)
	}
	if settings["configs.labels"] != `c("none", "kieker")` || settings["configs.indices"] != "c(0, 1)" || settings["configs.loop"] != "3" || settings["configs.recursion"] != "10" ||
		settings["results.count"] != "5" || settings["results.skip"] != "0" || settings["out_yaml_fn"] == "" || settings["configs.framework_name"] == "" {
		t.Errorf("settings %q", settings)
	}
	count, err := strconv.Atoi(settings["results.count"])
	if err != nil {
		t.Fatal(err)
	}
	for loop := 1; loop <= 3; loop++ {
		for index := range variants {
			rows := strings.Split(strings.TrimSpace(text(t, filepath.Join(folder, fmt.Sprintf("%s-%d-10-%d.csv", settings["results_fn"], loop, index)))), "\n")
			if len(rows) < count {
				t.Fatalf("loop %d, index %d: %d rows", loop, index, len(rows))
			}
			for i, row := range rows[:count] {
				if want := fmt.Sprintf("0;%d;4096;0", 1000*loop+i); row != want {
					t.Errorf("loop %d, index %d: row %q, want %q", loop, index, row, want)
				}
			}
		}
	}
	if err := MooBench(dir, folder, variants); err == nil || !strings.Contains(err.Error(), "not empty") {
		t.Errorf("a folder with files in it: %v", err)
	}
}

func text(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// What the script could not read right is refused, before anything is written.
func TestMooBenchRefuses(t *testing.T) {
	eight := func(int, string) int { return 8 }
	for name, test := range map[string]struct {
		dir  string
		want string
	}{
		"a run that failed": {result(t, 2, variants, nil, func(block int, _ string) int { return []int{0, 8, -1}[block] }), ""},
		"one run that failed": {result(t, 2, variants, nil, func(block int, v string) int {
			if block == 2 && v == "kieker" {
				return -1
			}
			return 8
		}), "variant kieker has no durations of block 2"},
		"threads": {result(t, 1, variants, map[string]string{"threads": "2"}, eight), "only for the depth"},
		"nothing": {result(t, 1, variants, nil, func(int, string) int { return -1 }), "--samples"},
	} {
		t.Run(name, func(t *testing.T) {
			folder := filepath.Join(t.TempDir(), "raw")
			err := MooBench(test.dir, folder, variants)
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("error %v, want %q", err, test.want)
			}
			if _, missing := os.Stat(filepath.Join(folder, "configs-10.r")); test.want != "" && missing == nil {
				t.Error("settings were written all the same")
			}
		})
	}
}
