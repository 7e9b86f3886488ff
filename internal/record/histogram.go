package record

import (
	"fmt"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Histogram is an HDR histogram of nanoseconds as it is kept in a record: the
// compressed V2 encoding in base64, which any HDR histogram library reads.
// The zero value is an empty one.
type Histogram string

// Limits of every histogram that tracetax keeps: 1 ns to 5 minutes, 3 digits.
const (
	lowest  = 1
	highest = int64(5 * 60 * 1e9)
	digits  = 3
)

// NewHistogram returns an empty histogram with the limits that Histogram uses.
func NewHistogram() *hdrhistogram.Histogram { return hdrhistogram.New(lowest, highest, digits) }

// EncodeHistogram returns h as it is kept in a record.
func EncodeHistogram(h *hdrhistogram.Histogram) (Histogram, error) {
	if h == nil || h.TotalCount() == 0 {
		return "", nil
	}
	b, err := h.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if err != nil {
		return "", fmt.Errorf("encoding a histogram of %d values: %w", h.TotalCount(), err)
	}
	return Histogram(b), nil
}

// Decode returns the histogram; an empty one for the zero value.
func (h Histogram) Decode() (*hdrhistogram.Histogram, error) {
	if h == "" {
		return NewHistogram(), nil
	}
	d, err := hdrhistogram.Decode([]byte(h))
	if err != nil {
		return nil, fmt.Errorf("decoding a histogram of %d characters: %w", len(h), err)
	}
	return d, nil
}
