package load

import (
	"strings"
	"testing"
)

// However a request is cut into reads, its end is seen once.
func TestAnswererSeesTheEndOfARequest(t *testing.T) {
	const request = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"
	for cut := range len(request) {
		for again := cut; again < len(request); again++ {
			a := answerer{matched: []uint8{0}}
			n := 0
			for _, part := range []string{request[:cut], request[cut:again], request[again:] + request} {
				n += a.requests(0, []byte(part))
			}
			if n != 2 || a.matched[0] != 0 {
				t.Fatalf("cut at %d and %d: %d requests, want 2", cut, again, n)
			}
		}
	}
	a := answerer{matched: []uint8{0}}
	if n := a.requests(0, []byte(strings.Repeat(request, 100)+"\r\n\r")); n != 100 || a.matched[0] != 3 {
		t.Errorf("%d requests, want 100", n)
	}
}
