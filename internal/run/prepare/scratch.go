package prepare

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// scratchName begins the names of scratch folders; the number of the tracetax
// that made it follows.
const scratchName = "tracetax-run-"

// Scratch makes a folder for {tmp} of a run, which is to remove it, and removes those that a tracetax which was
// killed left behind.
func Scratch() (string, error) {
	old, err := filepath.Glob(filepath.Join(os.TempDir(), scratchName+"*"))
	if err != nil {
		return "", fmt.Errorf("looking for old scratch folders: %w", err)
	}
	for _, dir := range old {
		number, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(dir), scratchName), "-")
		pid, err := strconv.Atoi(number)
		if err != nil || !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			continue // somebody's still, or none of ours
		}
		if err := os.RemoveAll(dir); err != nil && !errors.Is(err, os.ErrPermission) {
			return "", fmt.Errorf("removing an old scratch folder: %w", err)
		}
	}
	dir, err := os.MkdirTemp("", scratchName+strconv.Itoa(os.Getpid())+"-")
	if err != nil {
		return "", fmt.Errorf("making a scratch folder: %w", err)
	}
	return dir, nil
}
