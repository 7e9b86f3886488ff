//go:build linux

package engine

import (
	"fmt"
	"os"
	"strconv"
)

// maybeServe is the server of TestFortyThousandConnections, if this process is to be that.
func maybeServe() (code int, served bool) {
	n, err := strconv.Atoi(os.Getenv(serverVariable))
	if err != nil {
		return 0, false
	}
	if err := serveCrowd(n); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1, true
	}
	return 0, true
}
