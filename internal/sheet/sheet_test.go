package sheet

import (
	"strings"
	"testing"
)

func TestCells(t *testing.T) {
	for in, want := range map[string]string{"": "", "otel": "otel", "=1+1": "'=1+1", "-x": "'-x", "+x": "'+x", "@x": "'@x", "\tx": "'\tx", "\n=x": "'\n=x", "a=b": "a=b"} {
		if got := Text(in); got != want {
			t.Errorf("%q is %q, want %q", in, got, want)
		}
	}
	half := 0.5
	if got := Optional(nil) + " " + Optional(&half) + " " + Number(1e-9); got != " 0.5 1e-09" {
		t.Errorf("figures are %q", got)
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

type fullError string

func (e fullError) Error() string { return string(e) }

const errFull = fullError("no room")

func TestWrite(t *testing.T) {
	var b strings.Builder
	if err := Write(&b, "the runs", [][]string{{"a", "b"}, {`x,"y"`, "1"}}); err != nil || b.String() != "a,b\n\"x,\"\"y\"\"\",1\n" {
		t.Errorf("%q, %v", b.String(), err)
	}
	if err := Write(full{}, "the runs", [][]string{{"a"}}); err == nil || !strings.Contains(err.Error(), "writing the runs as CSV: no room") {
		t.Errorf("error %v", err)
	}
}
