package artifact

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// A checkout has its commit, and is dirty once a file that git knows has changed; new files, such as results, do not count.
func TestCheckout(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		missing(t, "needs git")
	}
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Setenv("GIT_CEILING_DIRECTORIES", os.TempDir())
	dir := t.TempDir()
	if got := CheckoutOf(t.Context(), dir); got != nil {
		t.Errorf("of no checkout: %+v", got)
	}
	file := filepath.Join(dir, "shop.py")
	write := func(path, text string) {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	git := func(args ...string) {
		if out, err := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=tracetax", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	git("init", "--quiet")
	if got := CheckoutOf(t.Context(), dir); got != nil {
		t.Errorf("without a commit: %+v", got)
	}
	write(file, "print(1)\n")
	git("add", ".")
	git("commit", "--quiet", "-m", "A shop")
	write(filepath.Join(dir, "findings.json"), "{}")
	clean := CheckoutOf(t.Context(), dir)
	if clean == nil || clean.Dirty || len(clean.Commit) < 40 {
		t.Fatalf("a clean one: %+v", clean)
	}
	write(file, "print(2)\n")
	if got := CheckoutOf(t.Context(), filepath.Join(dir, ".")); got == nil || !got.Dirty || got.Commit != clean.Commit {
		t.Errorf("a changed one: %+v, before %+v", got, clean)
	}
}
