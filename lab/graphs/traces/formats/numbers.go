package formats

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"math"
	"strconv"
	"strings"
)

// id reads an id of 8 or 16 bytes: digits of base 16, of which leading noughts may be missing, or base64. 0 is none, and what is
// no id.
func (r *reader) id() ([2]uint64, error) {
	text, err := r.scalar()
	if err != nil {
		return [2]uint64{}, err
	}
	return idOf(text), nil
}

func idOf(text []byte) [2]uint64 {
	var room [16]byte
	digits := room[:]
	if padded := [32]byte{}; len(text) <= len(padded) {
		for i := range padded {
			padded[i] = '0'
		}
		copy(padded[len(padded)-len(text):], text)
		if _, err := hex.Decode(digits, padded[:]); err == nil {
			return halves(digits)
		}
	}
	const longest = 24 // 16 bytes in base64
	if len(text) > longest {
		return [2]uint64{}
	}
	plain := strings.NewReplacer("-", "+", "_", "/").Replace(strings.TrimRight(string(text), "="))
	raw, err := base64.RawStdEncoding.DecodeString(plain)
	if err != nil || len(raw) != 8 && len(raw) != 16 {
		return [2]uint64{}
	}
	clear(digits)
	copy(digits[16-len(raw):], raw)
	return halves(digits)
}

func halves(id []byte) [2]uint64 {
	return [2]uint64{binary.BigEndian.Uint64(id), binary.BigEndian.Uint64(id[8:])}
}

// integer reads a whole number, also one that is a text or has a fraction; 0 of anything else.
func (r *reader) integer() (int64, error) {
	text, err := r.scalar()
	if err != nil {
		return 0, err
	}
	if n, err := strconv.ParseInt(string(text), 10, 64); err == nil {
		return n, nil
	}
	f, err := strconv.ParseFloat(string(text), 64)
	if err != nil || math.Abs(f) >= math.MaxInt64 {
		return 0, nil
	}
	return int64(f), nil
}

// micro is a number of µs in ns; 0 where that is too much.
func micro(n int64) int64 {
	if n > math.MaxInt64/2000 || n < -math.MaxInt64/2000 {
		return 0
	}
	return n * 1000
}
