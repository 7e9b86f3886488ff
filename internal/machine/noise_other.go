//go:build !linux

package machine

import "context"

func measure(context.Context, NoiseOptions, kind) ([]round, error) { return nil, ErrUnsupported }
