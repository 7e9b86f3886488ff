// How the commands say what went wrong.

package cli

import (
	"fmt"
	"io"
)

// complain says why a command ended.
func complain(to io.Writer, err error) {
	fmt.Fprintln(to, wrapped("tracetax: "+err.Error(), widthOf(to)))
}
