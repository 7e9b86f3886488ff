package build

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
)

func built(version, revision, changed string) *debug.BuildInfo {
	info := &debug.BuildInfo{GoVersion: "go1.26.8", Path: "example.org/x/cmd/x", Main: debug.Module{Version: version}}
	if revision != "" {
		info.Settings = append(info.Settings, debug.BuildSetting{Key: "vcs.revision", Value: revision})
	}
	if changed != "" {
		info.Settings = append(info.Settings, debug.BuildSetting{Key: "vcs.modified", Value: changed})
	}
	return info
}

const revision = "0123456789abcdef"

// A build is of the version that 'go install …@version' asked for, and else of its source and revision. What is neither has the
// identity of its binary.
func TestVersion(t *testing.T) {
	for name, c := range map[string]struct {
		info *debug.BuildInfo
		want string
	}{
		"unknown":                    {nil, "0.1.0-dev+build.ID"},
		"installed":                  {built("v0.3.1", "", ""), "0.3.1"},
		"a candidate installed":      {built("v0.3.1-rc.1", "", ""), "0.3.1-rc.1"},
		"a commit installed":         {built("v0.0.0-20261128120000-0123456789ab", "", ""), "0.0.0-20261128120000-0123456789ab"},
		"a checkout":                 {built("v0.0.0-20261128120000-0123456789ab", revision, "false"), "0.1.0-dev+0123456789ab"},
		"a changed checkout":         {built("v0.0.0-20261128120000-0123456789ab+dirty", revision, "true"), "0.1.0-dev+0123456789ab.changed.ID"},
		"a changed tagged checkout":  {built("v0.3.1+dirty", revision, "true"), "0.1.0-dev+0123456789ab.changed.ID"},
		"a checkout by an older Go":  {built("(devel)", revision, "false"), "0.1.0-dev+0123456789ab"},
		"a tagged checkout":          {built("v0.3.1", revision, "false"), "0.3.1"},
		"a revision cut off":         {built("(devel)", "0123", "false"), "0.1.0-dev+build.ID"},
		"go build outside of a VCS":  {built("(devel)", "", ""), "0.1.0-dev+build.ID"},
		"a replaced module, no name": {built("", "", ""), "0.1.0-dev+build.ID"},
	} {
		if got := of("0.1.0-dev", c.info, func() string { return "ID" }); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func TestSame(t *testing.T) {
	changed := func(change func(*debug.BuildInfo)) *debug.BuildInfo {
		info := built("v0.3.1", revision, "false")
		change(info)
		return info
	}
	for name, c := range map[string]struct {
		one, other *debug.BuildInfo
		want       string
	}{
		"a release":            {built("v0.3.1", revision, "false"), built("v0.3.1", revision, "false"), ""},
		"installed":            {built("v0.3.1", "", ""), built("v0.3.1", "", ""), ""},
		"a commit":             {built("v0.0.0-1-0123", revision, "false"), built("v0.0.0-1-0123", revision, "false"), ""},
		"other versions":       {built("v0.3.1", revision, "false"), built("v0.3.2", revision, "false"), `version "v0.3.1" and "v0.3.2"`},
		"other commits":        {built("(devel)", revision, "false"), built("(devel)", "f"+revision, "false"), "commit"},
		"another program":      {built("v0.3.1", revision, "false"), changed(func(i *debug.BuildInfo) { i.Path = "example.org/y" }), "program"},
		"another Go":           {built("v0.3.1", revision, "false"), changed(func(i *debug.BuildInfo) { i.GoVersion = "go1.26.9" }), "Go"},
		"changed":              {built("v0.3.1", revision, "false"), built("v0.3.1+dirty", revision, "true"), "changed files"},
		"both changed":         {built("v0.3.1+dirty", revision, "true"), built("v0.3.1+dirty", revision, "true"), "changed files"},
		"of unknown sources":   {built("(devel)", "", ""), built("(devel)", "", ""), "unknown sources"},
		"one without anything": {built("v0.3.1", revision, "false"), nil, "no record of its build"},
	} {
		err := Same(c.one, c.other)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// A binary has the same identity each time and in each place; another one has another, with the linker's digest and without.
func TestIdentity(t *testing.T) {
	if os.Getenv("TELL_IDENTITY") != "" {
		os.Stdout.WriteString(identity())
		os.Exit(0)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]string{}
	for name, change := range map[string]string{"itself": "", "a copy": "", "cut off": "cut"} {
		path := self
		if name != "itself" {
			text, err := os.ReadFile(self)
			if err != nil {
				t.Fatal(err)
			}
			if change == "cut" { // the digest of the linker is gone, as on other systems
				text = []byte(strings.ReplaceAll(string(text), "\x00.note.go.buildid\x00", "\x00.note.no.buildid\x00"))
			}
			path = filepath.Join(t.TempDir(), "copy")
			if err := os.WriteFile(path, text, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		c := exec.CommandContext(t.Context(), path, "-test.run", "^TestIdentity$")
		c.Env = append(os.Environ(), "TELL_IDENTITY=1")
		out, err := c.Output()
		if err != nil || len(out) != short {
			t.Fatalf("%s: %q, %v", name, out, err)
		}
		seen[name] = string(out)
	}
	if seen["itself"] != seen["a copy"] || seen["itself"] == seen["cut off"] {
		t.Errorf("%v", seen)
	}
}
