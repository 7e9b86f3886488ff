package wire

import (
	"bytes"
	"testing"
)

func TestHex(t *testing.T) {
	tests := []struct {
		digits string
		want   []byte // nil: refused
	}{
		{"1", []byte{0, 0, 0, 1}},
		{"abc", []byte{0, 0, 0x0a, 0xbc}},
		{"DEADbeef", []byte{0xde, 0xad, 0xbe, 0xef}},
		{"00000000", []byte{0, 0, 0, 0}},
		{"", nil}, {"123456789", nil}, {"12g4", nil}, {"é", nil}, {"-1", nil},
	}
	for _, test := range tests {
		room := []byte{9, 9, 9, 9}
		if ok := Hex(room, []byte(test.digits)); ok != (test.want != nil) || ok && !bytes.Equal(room, test.want) {
			t.Errorf("%q: %x, %v", test.digits, room, ok)
		}
	}
}

func TestBool(t *testing.T) {
	for body, want := range map[string]string{"true": "yes", "false": "no", "null": "no", "1": "error", `"true"`: "error", "tru": "error", "": "error"} {
		got, err := NewJSON([]byte(body)).Bool()
		if (err != nil) != (want == "error") || err == nil && got != (want == "yes") {
			t.Errorf("%s: %v, %v; want %s", body, got, err, want)
		}
	}
}
