// Request methods, and the names of those that were probably meant.

package config

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/tracetax/tracetax/internal/nearest"
)

var method = regexp.MustCompile(`^[A-Z]+(-[A-Z]+)*$`)

// commonMethods are those of RFC 9110 and PATCH. Any other one may be asked for
// too, unless it is a slip of the finger away from one of these.
var commonMethods = []string{"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH"}

const maxMethod = 40 // characters

// CheckMethod says what is wrong with a request method, nil if nothing is.
func CheckMethod(name string) error {
	upper := strings.ToUpper(name)
	switch {
	case upper == "CONNECT":
		return fmt.Errorf("the method CONNECT is not supported")
	case !method.MatchString(upper) || len(name) > maxMethod:
		return fmt.Errorf("%q is not a request method such as GET or POST", printable(name))
	}
	for _, known := range commonMethods {
		if upper == known && name != known || nearest.Distance(upper, known) == 1 {
			return fmt.Errorf("unknown request method %q%s", printable(name), nearest.DidYouMean(known))
		}
	}
	if name != upper {
		return fmt.Errorf("the request method %q must be in upper case: %s", printable(name), upper)
	}
	return nil
}
