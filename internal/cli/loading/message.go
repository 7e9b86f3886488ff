package loading

// This file is the message of a gRPC call on the command line.

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/tracetax/tracetax/internal/load"
)

// patienceWithReflection is how long a server may take to tell its types.
const patienceWithReflection = 10 * time.Second

// message fills in what is gRPC's alone.
func (o *options) message(ctx context.Context, r *load.Request) error {
	if o.body != "" || o.method != "" || o.status != 0 {
		return errors.New("--body, --method and --status are for http:// and https:// only; the message of a gRPC call is --data")
	}
	schema, err := o.schema(ctx, *r)
	if err != nil {
		return err
	}
	if schema != nil {
		r.Schema = schema
		r.Body = []byte("{}")
		if o.data != "" {
			r.Body, err = textOrFile("--data", o.data)
		}
		return err
	}
	switch {
	case o.data == "":
	case strings.HasPrefix(o.data, "@"):
		r.Body, err = textOrFile("--data", o.data)
	case o.dataFile != "" && load.HasData(o.data):
		r.Body = []byte(o.data)
	case strings.HasPrefix(o.data, "{"):
		return errors.New("--data in JSON needs the types of the service: give --protoset FILE (from protoc --descriptor_set_out=FILE --include_imports), or --reflection where the server tells them")
	default:
		if r.Body, err = load.DecodeMessage(o.data); err != nil {
			return fmt.Errorf("--data %w", err)
		}
	}
	return err
}

// schema is the descriptor set that --data is read by; nil: it is no JSON.
func (o *options) schema(ctx context.Context, r load.Request) ([]byte, error) {
	switch {
	case o.protoset != "" && o.reflection:
		return nil, errors.New("--protoset and --reflection both give the types of --data; one is enough")
	case o.protoset != "":
		b, err := readRegular(o.protoset)
		if err != nil {
			return nil, fmt.Errorf("--protoset: %w", err)
		}
		return b, nil
	case o.reflection:
		ctx, cancel := context.WithTimeout(ctx, patienceWithReflection)
		defer cancel()
		b, err := load.Reflect(ctx, r)
		if err != nil {
			return nil, fmt.Errorf("--reflection: %w", err)
		}
		return b, nil
	}
	return nil, nil
}
