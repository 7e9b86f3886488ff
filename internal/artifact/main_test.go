package artifact

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"testing"

	"github.com/tracetax/tracetax/internal/process/keeper"
)

// TestMain makes the test binary serve as the keeper of what it builds, and as a
// tracetax of its own.
func TestMain(m *testing.M) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	programs := map[string]func(context.Context) error{"keep": keeper.Keep, "build": buildAlone, "relative": relative}
	if len(os.Args) > 2 && os.Args[1] == "agent" && programs[os.Args[2]] != nil {
		if err := programs[os.Args[2]](ctx); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	stop()
	os.Exit(m.Run())
}

// missing leaves a test out where a program is not here; where TRACETAX_REQUIRE_PROGRAMS=1 says that all of them are, it
// fails instead.
func missing(t *testing.T, what string) {
	t.Helper()
	if os.Getenv("TRACETAX_REQUIRE_PROGRAMS") == "1" {
		t.Fatal(what)
	}
	t.Skip(what)
}
