package tracetax_test

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// floor is where a package stands: it imports packages of lower floors, and of its own floor those beside it.
type floor struct {
	level  int
	beside []string
}

// floors are those of the packages below internal/, and of lab/, which stands above them all. A new package gets a row here, on
// the lowest floor above all that it imports; a new folder of internal/ or lab/ also a place in ARCHITECTURE.md.
var floors = map[string]floor{
	"lab": {level: 8, beside: []string{"lab/agents", "lab/functions", "lab/graphs", "lab/graphs/sidecar", "lab/study/replicate"}},
	"lab/agents": {level: 8, beside: []string{
		"lab/agents/glowroot", "lab/agents/jfr", "lab/agents/kieker", "lab/agents/pinpoint", "lab/agents/rpc", "lab/agents/scouter", "lab/agents/skywalking",
	}},
	"lab/agents/glowroot":    {level: 8, beside: []string{"lab/agents/rpc"}},
	"lab/agents/jfr":         {level: 8},
	"lab/agents/kieker":      {level: 8},
	"lab/agents/pinpoint":    {level: 8, beside: []string{"lab/agents/rpc"}},
	"lab/agents/rpc":         {level: 8},
	"lab/agents/scouter":     {level: 8},
	"lab/agents/skywalking":  {level: 8, beside: []string{"lab/agents/rpc"}},
	"lab/graphs":             {level: 8, beside: []string{"lab/graphs/rebuild", "lab/graphs/topology", "lab/graphs/traces"}},
	"lab/graphs/mesh":        {level: 8},
	"lab/graphs/sidecar":     {level: 8, beside: []string{"lab/graphs/mesh"}},
	"lab/graphs/topology":    {level: 8},
	"lab/graphs/traces":      {level: 8, beside: []string{"lab/graphs/topology", "lab/graphs/traces/formats"}},
	"lab/functions":          {level: 8, beside: []string{"lab/functions/platform"}},
	"lab/functions/platform": {level: 8},
	"lab/study":              {level: 8},
	"lab/study/plots":        {level: 8},
	"lab/study/replicate":    {level: 8, beside: []string{"lab/study", "lab/study/view"}},
	"lab/study/view":         {level: 8, beside: []string{"lab/study"}},

	"lab/graphs/packets":             {level: 8, beside: []string{"lab/graphs/packets/capture"}},
	"lab/graphs/packets/capture":     {level: 8},
	"lab/graphs/packets/packetstest": {level: 8},
	"lab/graphs/packets/tree":        {level: 8, beside: []string{"lab/graphs/packets", "lab/graphs/topology"}},
	"lab/graphs/rebuild": {level: 8, beside: []string{
		"lab/graphs/packets", "lab/graphs/packets/capture", "lab/graphs/packets/tree", "lab/graphs/topology",
	}},
	"lab/graphs/traces/formats": {level: 8},

	"cli":          {level: 7, beside: []string{"cli/agent", "cli/draining", "cli/tools", "cli/console", "cli/show"}},
	"cli/agent":    {level: 7, beside: []string{"cli/tools", "cli/console"}},
	"cli/console":  {level: 7},
	"cli/tools":    {level: 7, beside: []string{"cli/console"}},
	"cli/draining": {level: 7, beside: []string{"cli/console"}},
	"cli/show":     {level: 7},

	"results": {level: 6},
	"session": {level: 6, beside: []string{"results", "session/cluster"}},

	"session/cluster": {level: 6},

	"analysis":     {level: 5},
	"experiment":   {level: 5, beside: []string{"run", "run/prepare"}},
	"report":       {level: 5},
	"run":          {level: 5, beside: []string{"run/drive", "run/hop", "run/logs", "run/prepare", "run/profiler"}},
	"run/afar":     {level: 5, beside: []string{"run", "run/prepare"}},
	"run/drive":    {level: 5},
	"run/hop":      {level: 5},
	"run/logs":     {level: 5},
	"run/prepare":  {level: 5},
	"run/profiler": {level: 5},
	"selfcheck":    {level: 5},

	"analysis/dataset":  {level: 4},
	"analysis/delivery": {level: 4, beside: []string{"analysis/dataset"}},
	"analysis/effect":   {level: 4, beside: []string{"analysis/dataset", "analysis/delivery", "analysis/measure"}},
	"analysis/measure":  {level: 4, beside: []string{"analysis/dataset"}},
	"analysis/series":   {level: 4, beside: []string{"analysis/dataset", "analysis/delivery", "analysis/measure"}},
	"analysis/warn":     {level: 4, beside: []string{"analysis/dataset", "analysis/effect", "analysis/measure"}},

	"report/data":     {level: 4, beside: []string{"report/parts", "report/view"}},
	"report/markdown": {level: 4},
	"report/page":     {level: 4},
	"report/parts":    {level: 4},
	"report/terminal": {level: 4},
	"report/view":     {level: 4, beside: []string{"report/parts"}},

	"compare": {level: 4},

	"decide":          {level: 3},
	"design":          {level: 3},
	"design/capacity": {level: 3},
	"wording":         {level: 3},

	"artifact":    {level: 2},
	"claim":       {level: 2},
	"derive":      {level: 2},
	"ledger":      {level: 2},
	"load":        {level: 2, beside: []string{"steady"}},
	"load/engine": {level: 2, beside: []string{"load", "load/feed"}},
	"load/feed":   {level: 2, beside: []string{"load"}},
	"steady":      {level: 2},
	"export":      {level: 2},
	"usage":       {level: 2},
	"usage/node":  {level: 2, beside: []string{"usage"}},

	"sink": {level: 2, beside: []string{
		"sink/datadog", "sink/elastic", "sink/keep", "sink/otlp", "sink/ring", "sink/tally", "sink/wire", "sink/zipkin",
	}},
	"sink/datadog":  {level: 2, beside: []string{"sink/tally", "sink/wire"}},
	"sink/elastic":  {level: 2, beside: []string{"sink/tally", "sink/wire"}},
	"sink/keep":     {level: 2},
	"sink/otlp":     {level: 2, beside: []string{"sink/tally", "sink/wire"}},
	"sink/ring":     {level: 2, beside: []string{"sink/tally"}},
	"sink/sinktest": {level: 2, beside: []string{"sink/tally"}},
	"sink/tally":    {level: 2},
	"sink/wire":     {level: 2, beside: []string{"sink/tally"}},
	"sink/zipkin":   {level: 2, beside: []string{"sink/tally", "sink/wire"}},

	"finding":              {level: 1},
	"image":                {level: 1},
	"container/enginetest": {level: 1},

	"process": {level: 1, beside: []string{
		"process/cgroup", "process/inspect", "process/supervisor", "process/output", "process/proctree",
	}},
	"process/cgroup":     {level: 1, beside: []string{"process/proctree"}},
	"process/inspect":    {level: 1},
	"process/supervisor": {level: 1, beside: []string{"process/cgroup", "process/proctree"}},
	"process/output":     {level: 1},
	"process/proctree":   {level: 1},
	"readings":           {level: 1, beside: []string{"record"}},
	"record":             {level: 1},

	"config":         {level: 1, beside: []string{"config/program"}},
	"config/program": {level: 1},

	"report/model": {level: 1},

	"ring":          {level: 1},
	"ring/otlpout":  {level: 1, beside: []string{"ring"}},
	"ring/ringtest": {level: 0},

	"build":      {level: 0},
	"cell":       {level: 0},
	"container":  {level: 0, beside: []string{"quote"}},
	"quote":      {level: 0},
	"jitter":     {level: 0},
	"jsonpipe":   {level: 0, beside: []string{"quote"}},
	"kubernetes": {level: 0, beside: []string{"jitter"}},

	"kubernetes/manifests": {level: 0},

	"load/drivetest": {level: 0},
	"machine":        {level: 0, beside: []string{"stats"}},
	"metric":         {level: 0, beside: []string{"profile"}},
	"suggest":        {level: 0},
	"profile":        {level: 0},
	"protocol":       {level: 0},
	"role":           {level: 0},
	"sheet":          {level: 0},
	"userenv":        {level: 0},
	"stats":          {level: 0},
	"traceparent":    {level: 0},
}

// Imports go one way, on every system that tracetax is built for; what tests import is theirs to choose.
func TestImportsGoDown(t *testing.T) {
	page, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	seen, used := map[string]bool{}, map[string]bool{}
	for _, system := range []string{"linux", "darwin"} {
		for _, p := range packagesFor(t, system) {
			seen[p.name] = true
			for _, imported := range p.imports {
				if problem := wrong(floors, p.name, imported); problem != "" {
					t.Errorf("for %s: %s", system, problem)
				}
				used[p.name+" "+imported] = true
			}
			for _, imported := range p.tests {
				if isLab(imported) && !isLab(p.name) {
					t.Errorf("a test of %s imports %s, and has to pass without it: move the test to lab/", folder(p.name), imported)
				}
			}
			if len(p.workloads) > 0 && p.name != "cli/agent" && !isLab(p.name) {
				t.Errorf("internal/%s imports %v: what serves one workload is known to the commands of cli/agent alone", p.name, p.workloads)
			}
		}
	}
	for name := range seen {
		if _, has := floors[name]; !has {
			t.Errorf("%s has no floor: add it to the table in floors_test.go", folder(name))
		}
		// The rooms within a folder are in the comments of their packages.
		if !strings.Contains(string(page), "`"+name+"`") && !strings.Contains(strings.TrimPrefix(name, "lab/"), "/") {
			t.Errorf("ARCHITECTURE.md does not name `%s`: add it to the table of rooms", name)
		}
	}
	for name, at := range floors {
		if !seen[name] {
			t.Errorf("%s is gone: take it out of the table in floors_test.go", folder(name))
		}
		for _, beside := range at.beside {
			if seen[name] && !used[name+" "+beside] {
				t.Errorf("%s does not import %s any more: take it out of the table in floors_test.go", folder(name), folder(beside))
			}
		}
	}
}

// wrong says what is wrong with one import; a package without a floor is told once, not for each of its imports.
func wrong(floors map[string]floor, from, to string) string {
	above, known := floors[from]
	below, there := floors[to]
	switch {
	case !known || !there || below.level < above.level || below.level == above.level && slices.Contains(above.beside, to):
		return ""
	case below.level == above.level:
		return folder(from) + " imports " + folder(to) + " of its own floor: move one of them, or add it to what stands beside it in floors_test.go"
	}
	return folder(from) + " imports " + folder(to) + " of a higher floor: what both need belongs below them"
}

func isLab(name string) bool { return name == "lab" || strings.HasPrefix(name, "lab/") }

// folder is where a package of the table is.
func folder(name string) string {
	if isLab(name) {
		return name
	}
	return "internal/" + name
}

func TestWrongImports(t *testing.T) {
	table := map[string]floor{"top": {level: 2, beside: []string{"side"}}, "side": {level: 2}, "low": {level: 1}}
	for imports, bad := range map[[2]string]bool{
		{"top", "low"}: false, {"top", "side"}: false,
		{"side", "top"}: true, {"low", "side"}: true, {"low", "top"}: true,
	} {
		if got := wrong(table, imports[0], imports[1]); (got != "") != bad {
			t.Errorf("%v: %q", imports, got)
		}
	}
}

// imports are a package below internal/ or lab/, those below internal/, lab/ and workloads/ that it imports outside its tests, and
// those below lab/ that its tests import.
type imports struct {
	name                      string
	imports, workloads, tests []string
}

func packagesFor(t *testing.T, system string) []imports {
	t.Helper()
	c := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Imports,TestImports,XTestImports", "./internal/...", "./lab/...")
	c.Env = append(os.Environ(), "GOOS="+system, "GOARCH=arm64")
	var errOut strings.Builder
	c.Stderr = &errOut
	out, err := c.Output()
	if err != nil {
		t.Fatalf("go list for %s: %v\n%s", system, err, errOut.String())
	}
	const module = "github.com/tracetax/tracetax/"
	const own = module + "internal/"
	var all []imports
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct {
			ImportPath                         string
			Imports, TestImports, XTestImports []string
		}
		err := decoder.Decode(&p)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		one := imports{name: strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, own), module)}
		for _, path := range slices.Concat(p.TestImports, p.XTestImports) {
			if name, is := strings.CutPrefix(path, module); is && isLab(name) {
				one.tests = append(one.tests, name)
			}
		}
		for _, path := range p.Imports {
			if name, is := strings.CutPrefix(path, own); is {
				one.imports = append(one.imports, name)
			} else if name, is := strings.CutPrefix(path, module); is && isLab(name) {
				one.imports = append(one.imports, name)
			} else if strings.HasPrefix(path, module+"workloads/") {
				one.workloads = append(one.workloads, path)
			}
		}
		all = append(all, one)
	}
	if len(all) == 0 {
		t.Fatalf("go list for %s names no package", system)
	}
	return all
}

// The packages whose tests Go's cache may answer for (pure, in scripts/test) start no process, open no socket and read no clock,
// their tests included: what they find depends on their code and files alone.
func TestPurePackages(t *testing.T) {
	const list = `eval "$(sed -n '/^pure=/,/)$/p' scripts/test)" && go list -f '{{$dir := .Dir}}{{range .GoFiles}}{{$dir}}/{{.}}
{{end}}{{range .TestGoFiles}}{{$dir}}/{{.}}
{{end}}{{range .XTestGoFiles}}{{$dir}}/{{.}}
{{end}}' "${pure[@]}"`
	out, err := exec.CommandContext(t.Context(), "bash", "-c", list).Output()
	files := strings.Fields(string(out))
	if err != nil || len(files) < 100 {
		t.Fatalf("%d files of pure packages: %v", len(files), err)
	}
	impure := regexp.MustCompile(`"os/exec"|"net/http|"crypto/tls"|\bnet\.(Listen|Dial)|` +
		`\btime\.(Now|Since|Until|Sleep|Tick|NewTimer|NewTicker)\(` +
		`|tracetax/internal/(artifact|cli|experiment|jitter|jsonpipe|load/|machine|process|run|session|sink"|usage)`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if found := impure.Find(text); found != nil {
			t.Errorf("%s has %s: move it, or take its package out of scripts/test's list", file, found)
		}
	}
}
