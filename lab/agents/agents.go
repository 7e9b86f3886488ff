// Package agents owns the receivers of the protocols that agents of studies speak, each in a package of its own, and registers
// them in the sink. It must not know the workload or what was expected.
package agents

import (
	"net"

	"github.com/tracetax/tracetax/internal/protocol"
	"github.com/tracetax/tracetax/internal/sink"
	"github.com/tracetax/tracetax/internal/sink/tally"
	"github.com/tracetax/tracetax/lab/agents/glowroot"
	"github.com/tracetax/tracetax/lab/agents/jfr"
	"github.com/tracetax/tracetax/lab/agents/kieker"
	"github.com/tracetax/tracetax/lab/agents/pinpoint"
	"github.com/tracetax/tracetax/lab/agents/rpc"
	"github.com/tracetax/tracetax/lab/agents/scouter"
	"github.com/tracetax/tracetax/lab/agents/skywalking"
)

func init() {
	sink.Register(protocol.Kieker, func(total *tally.Total, c sink.Config, _ net.PacketConn) sink.Receiver {
		return kieker.New(total, kieker.Limits{Body: c.MaxBody})
	})
	sink.RegisterFiles("kieker", kieker.CountFolder)
	sink.RegisterFiles("jfr", jfr.CountFolder)
	sink.Register(protocol.SkyWalking, overGRPC(skywalking.New))
	sink.Register(protocol.Pinpoint, overGRPC(pinpoint.New))
	sink.Register(protocol.Glowroot, overGRPC(glowroot.New))
	sink.Register(protocol.Scouter, func(total *tally.Total, c sink.Config, packets net.PacketConn) sink.Receiver {
		return twice{scouter.New(total, scouter.Limits{Body: c.MaxBody, Header: c.HeaderTimeout}), packets}
	})
}

// overGRPC makes a receiver with the limits of package rpc.
func overGRPC[R sink.Receiver](make func(*tally.Total, rpc.Limits) R) sink.Maker {
	return func(total *tally.Total, c sink.Config, _ net.PacketConn) sink.Receiver {
		return make(total, rpc.Limits{Body: c.MaxBody, Header: c.HeaderTimeout, Late: c.Late})
	}
}

// twice serves Scouter's connections and its packets.
type twice struct {
	*scouter.Receiver
	packets net.PacketConn
}

// Serve serves until Close.
func (r twice) Serve(l net.Listener) error { return r.Receiver.Serve(l, r.packets) }
