package artifact

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A package counts that a program has in another version than its tracer's folder; however its name is spelled.
func TestShadowed(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		missing(t, "there is no python3")
	}
	own, tracer := t.TempDir(), t.TempDir()
	for _, one := range []struct{ folder, name, version string }{
		{own, "Shop_Rpc", "1.66.2"}, {own, "shop-same", "2"}, {own, "shop-own", "3"},
		{tracer, "shop.rpc", "1.82.1"}, {tracer, "shop_same", "2"}, {tracer, "shop_added", "1"},
	} {
		info := filepath.Join(one.folder, one.name+"-"+one.version+".dist-info")
		if err := os.Mkdir(info, 0o755); err != nil {
			t.Fatal(err)
		}
		text := "Metadata-Version: 2.1\nName: " + one.name + "\nVersion: " + one.version + "\n"
		if err := os.WriteFile(filepath.Join(info, "METADATA"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := Shadowed(t.Context(), python, []string{"PYTHONPATH=" + own}, t.TempDir(), tracer)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Shadow{{"shop-rpc", "1.66.2", "1.82.1"}}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if _, err := Shadowed(t.Context(), filepath.Join(own, "none"), nil, own, tracer); err == nil {
		t.Error("an interpreter that is not there says what it finds")
	}
}
