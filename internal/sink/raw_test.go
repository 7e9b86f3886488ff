// This file connects over gRPC to send bodies as they are.

package sink

import (
	"testing"

	"github.com/tracetax/tracetax/internal/sink/sinktest"
	"google.golang.org/grpc"
)

func dialRaw(t testing.TB, address string) *grpc.ClientConn {
	t.Helper()
	conn, err := sinktest.Dial(address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}
