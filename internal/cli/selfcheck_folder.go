// The folder of a selfcheck: new, or one to go on with.

package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/tracetax/tracetax/internal/cli/console"
	"github.com/tracetax/tracetax/internal/selfcheck"
	"github.com/tracetax/tracetax/internal/session"
)

// folder makes the folder, or finds the one to go on with and which form it has.
func (f *selfcheckFlags) folder() (dir string, form selfcheck.Form, err error) {
	form = selfcheck.Quick
	if f.full {
		form = selfcheck.Full
	}
	switch {
	case f.resume != "":
		form, err = resumedForm(f.resume)
		return f.resume, form, err
	case f.out != "":
		dir = f.out
		if _, err := os.Stat(filepath.Join(dir, selfcheckFile)); err == nil {
			return "", "", console.UsageError(fmt.Errorf("%s holds a selfcheck already: choose another folder, or go on with --resume %s", dir, dir))
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return "", "", fmt.Errorf("making a folder for results: %w (choose another with --out)", err)
		}
	default:
		if dir, err = session.NewFolder(session.Parent, "selfcheck-"+time.Now().Format("20060102-150405")); err != nil {
			return "", "", err
		}
	}
	return dir, form, writeSelfcheck(dir, &selfcheck.Report{Schema: selfcheck.Schema, Tool: Version(), Form: form})
}

// resumedForm reads which form was begun.
func resumedForm(dir string) (selfcheck.Form, error) {
	content, err := os.ReadFile(filepath.Join(dir, selfcheckFile))
	if errors.Is(err, fs.ErrNotExist) {
		return "", console.UsageError(fmt.Errorf("%s has no %s: give the folder that 'tracetax selfcheck' named", dir, selfcheckFile))
	}
	if err != nil {
		return "", fmt.Errorf("going on with %s: %w", dir, err)
	}
	var begun selfcheck.Report
	if err := json.Unmarshal(content, &begun); err != nil {
		return "", fmt.Errorf("going on with %s: %s: %w", dir, selfcheckFile, err)
	}
	return begun.Form, nil
}

func writeSelfcheck(dir string, report *selfcheck.Report) (err error) {
	file, err := os.Create(filepath.Join(dir, selfcheckFile))
	if err != nil {
		return fmt.Errorf("writing the report of the selfcheck: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	return encode(file, report)
}
