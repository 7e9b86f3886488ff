package receiving

import "testing"

func TestSinkWarnsBeyondLoopback(t *testing.T) {
	for address, want := range map[string]bool{"127.0.0.1:1": true, "[::1]:1": true, "0.0.0.0:1": false, "[::]:1": false, "192.0.2.1:1": false} {
		if loopback(address) != want {
			t.Errorf("loopback(%q) = %v", address, !want)
		}
	}
}
