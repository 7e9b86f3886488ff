package loading

// This file is the message of a gRPC call on the command line.

import (
	"errors"
	"fmt"
	"strings"

	"github.com/tracetax/tracetax/internal/load"
)

// message fills in what is gRPC's alone.
func (o *options) message(r *load.Request) error {
	if o.body != "" || o.method != "" || o.status != 0 {
		return errors.New("--body, --method and --status are for http:// and https:// only; the message of a gRPC call is --data")
	}
	var err error
	switch {
	case o.protoset != "":
		if r.Schema, err = readRegular(o.protoset); err != nil {
			return fmt.Errorf("--protoset: %w", err)
		}
		r.Body = []byte("{}")
		if o.data != "" {
			r.Body, err = textOrFile("--data", o.data)
		}
	case strings.HasPrefix(o.data, "@"):
		r.Body, err = textOrFile("--data", o.data)
	case o.data != "":
		return errors.New("--data in JSON needs the types of the service: give --protoset FILE (from protoc --descriptor_set_out=FILE --include_imports); a message in protobuf is @FILE")
	}
	return err
}
