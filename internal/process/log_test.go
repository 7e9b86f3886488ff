//go:build linux

package process

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A disk that is full: /dev/full refuses every write.
func TestFullDiskIsSurvived(t *testing.T) {
	launcher := open(t, AccountingAuto)
	if err := os.Symlink("/dev/full", filepath.Join(launcher.options.LogDir, "chatter.log")); err != nil {
		t.Fatal(err)
	}
	p := start(t, launcher, Command{}, "chatter", "20000")
	ready(t, p, "log:last words")
	if err := p.Log().Err(); err == nil || !strings.Contains(err.Error(), "no space left") {
		t.Errorf("error %v", err)
	}
	if got := strings.Join(p.Log().Tail(1), ""); got != "last words" {
		t.Errorf("tail %q", got)
	}
	if err := p.Kill(); err != nil {
		t.Error(err)
	}
}

func TestChatterIsWhole(t *testing.T) {
	const lines = 300_000 // more than a pipe holds
	p := start(t, open(t, AccountingAuto), Command{}, "chatter", fmt.Sprint(lines))
	ready(t, p, "log:last words")
	if err := p.Kill(); err != nil {
		t.Fatal(err)
	}
	n := 0
	err := p.Log().Lines(func(line string) error {
		if line != fmt.Sprintf("line %d", n) && line != "last words" {
			return fmt.Errorf("line %d is %q", n, line)
		}
		n++
		return nil
	})
	if err != nil || n != lines+1 {
		t.Errorf("%d lines, error %v", n, err)
	}
}
