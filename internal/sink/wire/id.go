// This file reads ids that are written in hexadecimal digits.

package wire

// Hex decodes hexadecimal digits of either case into the end of room, with zeros
// before them: an id is a number, and leading zeros may be missing. false if there
// are none, more than room has place for, or anything else among them.
func Hex(room, digits []byte) bool {
	if len(digits) == 0 || len(digits) > 2*len(room) {
		return false
	}
	clear(room)
	at := 2*len(room) - len(digits)
	for _, c := range digits {
		v := hexValues[c]
		if v > 15 {
			return false
		}
		room[at/2] |= v << (4 * (1 - at%2))
		at++
	}
	return true
}

// hexValues are the values of hexadecimal digits, and 255 for other bytes.
var hexValues = func() (values [256]byte) {
	for i := range values {
		values[i] = 255
	}
	for i, c := range []byte("0123456789abcdef") {
		values[c] = byte(i)
	}
	for i, c := range []byte("ABCDEF") {
		values[c] = byte(10 + i)
	}
	return values
}()
