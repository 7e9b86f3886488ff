package load

import (
	"os"
	"runtime"
	"testing"
)

// The servers of the tests run in the same process: there must be room for them
// beside the loops.
func TestMain(m *testing.M) {
	runtime.GOMAXPROCS(max(runtime.GOMAXPROCS(0), 8))
	if code, served := maybeServe(); served {
		os.Exit(code)
	}
	os.Exit(m.Run())
}
