//go:build !linux

package noise

import "context"

func measure(context.Context, Options, kind) ([]round, error) { return nil, ErrUnsupported }
