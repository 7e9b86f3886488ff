package model

import "testing"

func TestOneLine(t *testing.T) {
	if got := OneLine("a\x1b[31m\r\nb\u202ec\u2066\x9bd\x1b"); got != "a  bc�d�" {
		t.Errorf("OneLine leaves %q", got)
	}
}
