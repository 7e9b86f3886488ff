package loading

// This file says how a load came by its connections, and what had none.

import (
	"fmt"

	"github.com/tracetax/tracetax/internal/record"
)

// openedText says how many connections were opened, also those that the warm-up
// left open.
func openedText(done loadResult) string {
	if done.warmedUp == 0 {
		return fmt.Sprintf("%d connections opened", done.load.Connected)
	}
	return fmt.Sprintf("%d connections opened in the warm-up, %d after it", done.warmedUp, done.load.Connected)
}

// unreachable reports whether no connection could be opened, and none was open.
func unreachable(l record.Load) bool { return l.Started == 0 && l.Connected == 0 && l.TimedOut > 0 }

// neverSentText says what operations that were never sent had waited for.
func neverSentText(l record.Load) string {
	switch {
	case unreachable(l):
		return "no connection could be opened within their time-out"
	case l.Started == 0:
		return "no connection that was opened got through its handshake within their time-out"
	}
	return "no connection came free within their time-out"
}
