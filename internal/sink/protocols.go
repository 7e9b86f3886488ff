// This file makes the receivers of the protocols in the table.

package sink

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"

	"github.com/tracetax/tracetax/internal/protocol"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/sink/datadog"
	"github.com/tracetax/tracetax/internal/sink/elastic"
	"github.com/tracetax/tracetax/internal/sink/otlp"
	"github.com/tracetax/tracetax/internal/sink/ring"
	"github.com/tracetax/tracetax/internal/sink/tally"
	"github.com/tracetax/tracetax/internal/sink/wire"
	"github.com/tracetax/tracetax/internal/sink/zipkin"
	"google.golang.org/grpc"
)

// Receiver serves a protocol. Serve returns nil after Close, also if that came before.
type Receiver interface {
	Serve(net.Listener) error
	Close() error
}

// Maker makes the receiver of a protocol, which counts in total. packets has the port of the listener where the protocol's row says
// Packets; it is nil elsewhere.
type Maker func(total *tally.Total, c Config, packets net.PacketConn) Receiver

// makers make the receiver of each protocol.
var makers = map[protocol.Name]func(*Server, Config, net.PacketConn) Receiver{
	protocol.OTLPGRPC: func(s *Server, _ Config, _ net.PacketConn) Receiver { return grpcReceiver{otlp.On(s.intake).GRPC()} },
	protocol.OTLPHTTP: overHTTP(func(i *wire.Intake) wire.Counter { return otlp.On(i).Counter() }),
	protocol.Zipkin:   overHTTP(func(i *wire.Intake) wire.Counter { return zipkin.New(i) }),
	protocol.Elastic:  overHTTP(func(i *wire.Intake) wire.Counter { return elastic.New(i) }),
	protocol.Datadog:  overHTTP(func(i *wire.Intake) wire.Counter { return datadog.New(i) }),
}

// readers make the receivers of protocols whose senders write into a folder.
var readers = map[protocol.Name]func(total *tally.Total, folder string) (folderReceiver, error){
	protocol.Ring: func(total *tally.Total, folder string) (folderReceiver, error) { return ring.Open(total, folder) },
}

// folderReceiver reads a folder until Close.
type folderReceiver interface {
	Serve() error
	Close() error
}

// Register adds the receiver of a protocol. It is called before a sink starts, by the init of the receiver's package.
func Register(name protocol.Name, m Maker) {
	makers[name] = func(s *Server, c Config, packets net.PacketConn) Receiver { return m(s.total, c, packets) }
}

// Receives is an error where this build has no receiver of a protocol.
func Receives(name protocol.Name) error {
	if row, _ := protocol.Of(name); makers[name] == nil && readers[name] == nil {
		return fmt.Errorf("this build of tracetax cannot receive %s (%s): it lacks the package tracetax/lab", row.Title, name)
	}
	return nil
}

// FileCounter counts the spans in the files of a folder.
type FileCounter func(ctx context.Context, folder string) (record.Counts, error)

// files count files by their format, one of program.FileFormats.
var files = map[string]FileCounter{}

// RegisterFiles adds a format of files, as Register does a protocol.
func RegisterFiles(format string, count FileCounter) { files[format] = count }

// ReadsFiles is an error where this build cannot read a format of files.
func ReadsFiles(format string) error {
	if files[format] == nil {
		return fmt.Errorf("this build of tracetax cannot read files with spans in the format %q: it lacks the package tracetax/lab", format)
	}
	return nil
}

// CountFiles counts the spans that a tracer left in the files of a folder, as a sink does.
func CountFiles(ctx context.Context, format, folder string) (record.Counts, error) {
	err := ReadsFiles(format)
	if err == nil {
		var counts record.Counts
		if counts, err = files[format](ctx, folder); err == nil {
			return counts, nil
		}
	}
	return record.Counts{}, fmt.Errorf("counting the spans that the tracer wrote to files: %w", err)
}

func overHTTP(counter func(*wire.Intake) wire.Counter) func(*Server, Config, net.PacketConn) Receiver {
	return func(s *Server, _ Config, _ net.PacketConn) Receiver {
		return httpReceiver{s.intake.HTTP(s.intake.Handler(counter(s.intake)))}
	}
}

type httpReceiver struct{ *http.Server }

// Serve serves until Close.
func (r httpReceiver) Serve(l net.Listener) error {
	if err := r.Server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

type grpcReceiver struct{ *grpc.Server }

// Serve serves until Close.
func (r grpcReceiver) Serve(l net.Listener) error {
	// Told to stop before it began to serve, gRPC calls it an error.
	if err := r.Server.Serve(l); !errors.Is(err, grpc.ErrServerStopped) {
		return err
	}
	return nil
}

// Close cuts off what is under way.
func (r grpcReceiver) Close() error {
	r.Stop()
	return nil
}
