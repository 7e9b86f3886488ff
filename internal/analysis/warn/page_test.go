package warn

import (
	"os"
	"strings"
	"testing"
)

func TestWarningsAreInTheirPage(t *testing.T) {
	page, err := os.ReadFile("../../../docs/warnings.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range checks {
		if !strings.Contains(string(page), "`"+c.code+"`") {
			t.Errorf("docs/warnings.md does not explain %s", c.code)
		}
	}
}
