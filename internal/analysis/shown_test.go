package analysis

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestShownSettings(t *testing.T) {
	got := shown(map[string]string{"headers": "on", "token": "hush", "sampling": "10%", "empty-token": ""})
	want := map[string]string{"headers": "on", "token": "(redacted)", "sampling": "10%", "empty-token": ""}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
