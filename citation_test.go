package tracetax_test

import (
	"os"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/tracetax/tracetax/internal/cli"
)

// CITATION.cff has what version 1.2.0 of its format needs, and is of this program: its repository, licence and version.
func TestCitation(t *testing.T) {
	text, err := os.ReadFile("CITATION.cff")
	if err != nil {
		t.Fatal(err)
	}
	var c struct {
		Format     string `yaml:"cff-version"`
		Message    string `yaml:"message"`
		Type       string `yaml:"type"`
		Title      string `yaml:"title"`
		Version    string `yaml:"version"`
		Licence    string `yaml:"license"`
		Repository string `yaml:"repository-code"`
		Abstract   string `yaml:"abstract"`
		Authors    []struct {
			Name string `yaml:"name"`
		} `yaml:"authors"`
		Keywords []string `yaml:"keywords"`
	}
	if err := yaml.UnmarshalWithOptions(text, &c, yaml.Strict()); err != nil {
		t.Fatal(err)
	}
	if c.Format != "1.2.0" || c.Type != "software" || c.Message == "" || c.Title == "" || c.Abstract == "" || len(c.Authors) != 1 || c.Authors[0].Name == "" {
		t.Errorf("%+v", c)
	}
	module, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(module), "\n")
	if want := "https://" + strings.TrimPrefix(first, "module "); c.Repository != want {
		t.Errorf("the repository is %s, want %s", c.Repository, want)
	}
	if !strings.HasPrefix(cli.Version(), c.Version) {
		t.Errorf("the version is %s, and tracetax says %s", c.Version, cli.Version())
	}
	licence, err := os.ReadFile("LICENSE")
	if err != nil {
		t.Fatal(err)
	}
	if c.Licence != "Apache-2.0" || !strings.Contains(string(licence), "Apache License") {
		t.Errorf("the licence is %s", c.Licence)
	}
}
