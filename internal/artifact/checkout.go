// What git says of the folder that a program comes from.

package artifact

import (
	"context"
	"regexp"
	"time"
)

// Checkout is the state of a git checkout.
type Checkout struct {
	Commit string `json:"commit"`
	Dirty  bool   `json:"dirty"` // files that git knows were changed since
}

// patience is how long git may take; in a large checkout on a slow disk it takes seconds.
const patience = 20 * time.Second

var commitName = regexp.MustCompile(`^[0-9a-f]{40,64}$`)

// CheckoutOf is the git checkout that a folder is in; nil where it is in none, or git cannot tell.
func CheckoutOf(ctx context.Context, dir string) *Checkout {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	git := func(args ...string) (string, error) {
		return command{args: append([]string{"git", "-C", dir, "--no-optional-locks"}, args...)}.output(ctx)
	}
	commit, err := git("rev-parse", "HEAD")
	if err != nil || !commitName.MatchString(commit) {
		return nil // no checkout, no commit yet, or no git: then nothing is known
	}
	changed, err := git("status", "--porcelain", "--untracked-files=no")
	if err != nil {
		return nil
	}
	return &Checkout{Commit: commit, Dirty: changed != ""}
}
