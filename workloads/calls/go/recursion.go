// The work of the innermost call.
package main

import "time"

// burn works so long; 0 reads no clock.
func burn(busy time.Duration) {
	if busy == 0 {
		return
	}
	for begin := time.Now(); time.Since(begin) < busy; {
	}
}
