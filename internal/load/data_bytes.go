// Messages of gRPC operations, as hexadecimal or base64 text.

package load

import (
	"encoding/base64"
	hexcode "encoding/hex"
	"fmt"
	"strings"
)

// DecodeMessage returns the bytes of a protobuf message written as hex:… or base64:….
func DecodeMessage(text string) ([]byte, error) {
	if digits, ok := strings.CutPrefix(text, "hex:"); ok {
		b, err := hexcode.DecodeString(strings.Join(strings.Fields(digits), ""))
		if err != nil {
			return nil, fmt.Errorf("is no hexadecimal text: %w", err)
		}
		return b, nil
	}
	if digits, ok := strings.CutPrefix(text, "base64:"); ok {
		b, err := base64.StdEncoding.DecodeString(digits)
		if err != nil {
			return nil, fmt.Errorf("is no base64 text: %w", err)
		}
		return b, nil
	}
	return nil, fmt.Errorf("is %.40q: want a protobuf message as hex:… or base64:…", text)
}
