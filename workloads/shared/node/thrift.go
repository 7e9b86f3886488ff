// Apache Thrift: framed transport, binary protocol, and of each method the arguments (1: map<string, string> carrier,
// 2: binary payload), of which the first has the context of the trace, as in DeathStarBench's services. What the compiler
// would make of an IDL is written out here, for methods are known when the plan is read.

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/apache/thrift/lib/go/thrift"
)

// Fields of the arguments; the result is field 0.
const (
	fieldCarrier = 1
	fieldPayload = 2
)

// thriftConn is a connection on which one call is under way at a time.
type thriftConn struct {
	conn     net.Conn
	protocol thrift.TProtocol
	seq      int32
}

func newThriftConn(conn net.Conn) *thriftConn {
	conf := &thrift.TConfiguration{}
	framed := thrift.NewTFramedTransportConf(thrift.NewTSocketFromConnConf(conn, conf), conf)
	return &thriftConn{conn: conn, protocol: thrift.NewTBinaryProtocolConf(framed, conf)}
}

// traceThrift makes the span of one end of a call.
type traceThrift func(ctx context.Context, node, method string, carrier map[string]string, do func(context.Context) error) error

// untraced makes none: a store is not traced, and who calls it makes the span of a client of a database.
func untraced(ctx context.Context, _, _ string, _ map[string]string, do func(context.Context) error) error {
	return do(ctx)
}

// thriftClient keeps the connections that are not in use, the last one first.
type thriftClient struct {
	name      string
	trace     traceThrift
	addresses []string
	next      atomic.Uint32
	dial      func(ctx context.Context, address string) (net.Conn, error)
	mu        sync.Mutex
	idle      map[string][]*thriftConn
}

func (c *thriftClient) call(ctx context.Context, method string, size int) error {
	carrier := map[string]string{}
	return c.trace(ctx, c.name, method, carrier, func(ctx context.Context) error {
		address := c.addresses[int(c.next.Add(1))%len(c.addresses)]
		conn, err := c.take(ctx, address)
		if err != nil {
			return err
		}
		if err := conn.conn.SetDeadline(time.Now().Add(callTimeout)); err != nil {
			return errors.Join(err, conn.conn.Close())
		}
		err = conn.ask(ctx, method, carrier, zeros[:size])
		if err != nil && !errors.Is(err, errAnswered) {
			return errors.Join(fmt.Errorf("calling %s of %s: %w", method, c.name, err), conn.conn.Close())
		}
		c.mu.Lock()
		c.idle[address] = append(c.idle[address], conn)
		c.mu.Unlock()
		return err
	})
}

func (c *thriftClient) take(ctx context.Context, address string) (*thriftConn, error) {
	c.mu.Lock()
	if idle := c.idle[address]; len(idle) > 0 {
		conn := idle[len(idle)-1]
		c.idle[address] = idle[:len(idle)-1]
		c.mu.Unlock()
		return conn, nil
	}
	c.mu.Unlock()
	conn, err := c.dial(ctx, address)
	if err != nil {
		return nil, err
	}
	return newThriftConn(conn), nil
}

func (c *thriftClient) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, idle := range c.idle {
		for _, conn := range idle {
			complain(conn.conn.Close())
		}
	}
}

// ask makes one call, and reads its answer.
func (c *thriftConn) ask(ctx context.Context, method string, carrier map[string]string, payload []byte) error {
	p := c.protocol
	c.seq++
	err := errors.Join(
		p.WriteMessageBegin(ctx, method, thrift.CALL, c.seq),
		p.WriteStructBegin(ctx, method+"_args"),
		p.WriteFieldBegin(ctx, "carrier", thrift.MAP, fieldCarrier),
		p.WriteMapBegin(ctx, thrift.STRING, thrift.STRING, len(carrier)),
	)
	for key, value := range carrier {
		err = errors.Join(err, p.WriteString(ctx, key), p.WriteString(ctx, value))
	}
	err = errors.Join(err,
		p.WriteMapEnd(ctx), p.WriteFieldEnd(ctx),
		p.WriteFieldBegin(ctx, "payload", thrift.STRING, fieldPayload), p.WriteBinary(ctx, payload), p.WriteFieldEnd(ctx),
		p.WriteFieldStop(ctx), p.WriteStructEnd(ctx), p.WriteMessageEnd(ctx), p.Flush(ctx),
	)
	if err != nil {
		return err
	}
	_, kind, seq, err := p.ReadMessageBegin(ctx)
	switch {
	case err != nil:
		return err
	case kind == thrift.EXCEPTION:
		failed := thrift.NewTApplicationException(0, "")
		if err := errors.Join(failed.Read(ctx, p), p.ReadMessageEnd(ctx)); err != nil {
			return err
		}
		if failed.TypeId() == thrift.INTERNAL_ERROR {
			return errAnswered // it has said why
		}
		return failed
	case kind != thrift.REPLY || seq != c.seq:
		return fmt.Errorf("a message of type %d with the number %d is no answer to %d", kind, seq, c.seq)
	}
	return errors.Join(p.Skip(ctx, thrift.STRUCT), p.ReadMessageEnd(ctx))
}

// thriftServer answers calls, a goroutine for each connection.
type thriftServer struct {
	node     *node
	mu       sync.Mutex
	listener net.Listener
	stopping bool
	conns    map[net.Conn]bool // whether a call is under way
	all      sync.WaitGroup
}

func newThriftServer(n *node) *thriftServer {
	return &thriftServer{node: n, conns: map[net.Conn]bool{}}
}

func (s *thriftServer) serve(l net.Listener) error {
	s.mu.Lock()
	s.listener = l
	s.mu.Unlock()
	for {
		conn, err := l.Accept()
		if err != nil {
			if s.ends() {
				return nil
			}
			return fmt.Errorf("accepting a connection: %w", err)
		}
		s.all.Go(func() {
			err := s.answer(conn)
			if !s.ends() && !errors.Is(err, io.EOF) {
				complain(err)
			}
			complain(conn.Close())
		})
	}
}

func (s *thriftServer) ends() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stopping
}

// busy notes whether a call is under way on a connection; false: the server stops.
func (s *thriftServer) busy(conn net.Conn, is bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.conns[conn] = is
	return !s.stopping
}

func (s *thriftServer) answer(conn net.Conn) error {
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.conns, conn)
	}()
	c, ctx := newThriftConn(conn), context.Background()
	for s.busy(conn, false) {
		name, kind, seq, err := c.protocol.ReadMessageBegin(ctx)
		var end thrift.TTransportException
		if errors.As(err, &end) && end.TypeId() == thrift.END_OF_FILE {
			return io.EOF
		}
		if err != nil {
			return err
		}
		s.busy(conn, true)
		carrier, err := c.arguments(ctx)
		if err != nil {
			return err
		}
		if kind != thrift.CALL {
			return fmt.Errorf("%s comes with type %d, which is no call", name, kind)
		}
		if err := s.once(ctx, c, name, seq, carrier); err != nil {
			return err
		}
	}
	return nil
}

// arguments reads those of a call, to the end of its message.
func (c *thriftConn) arguments(ctx context.Context) (map[string]string, error) {
	p, carrier := c.protocol, map[string]string{}
	if _, err := p.ReadStructBegin(ctx); err != nil {
		return nil, err
	}
	for {
		_, kind, field, err := p.ReadFieldBegin(ctx)
		switch {
		case err != nil:
			return nil, err
		case kind == thrift.STOP:
			return carrier, errors.Join(p.ReadStructEnd(ctx), p.ReadMessageEnd(ctx))
		case field == fieldCarrier && kind == thrift.MAP:
			err = c.readCarrier(ctx, carrier)
		default:
			err = p.Skip(ctx, kind)
		}
		if err = errors.Join(err, p.ReadFieldEnd(ctx)); err != nil {
			return nil, err
		}
	}
}

func (c *thriftConn) readCarrier(ctx context.Context, into map[string]string) error {
	_, _, size, err := c.protocol.ReadMapBegin(ctx)
	if err != nil {
		return err
	}
	for range size {
		key, err := c.protocol.ReadString(ctx)
		if err != nil {
			return err
		}
		if into[key], err = c.protocol.ReadString(ctx); err != nil {
			return err
		}
	}
	return c.protocol.ReadMapEnd(ctx)
}

// once answers one call.
func (s *thriftServer) once(ctx context.Context, c *thriftConn, name string, seq int32, carrier map[string]string) error {
	p := c.protocol
	if _, known := s.node.plan.Methods[name]; !known {
		unknown := thrift.NewTApplicationException(thrift.UNKNOWN_METHOD, "there is no method "+name)
		return errors.Join(p.WriteMessageBegin(ctx, name, thrift.EXCEPTION, seq), unknown.Write(ctx, p), p.WriteMessageEnd(ctx), p.Flush(ctx))
	}
	var body []byte
	trace := traceThrift(traceThriftServe)
	if s.node.plan.Store {
		trace = untraced
	}
	err := trace(ctx, s.node.plan.Node, name, carrier, func(ctx context.Context) (err error) {
		body, err = s.node.answer(ctx, name)
		return err
	})
	if err != nil {
		complain(err)
		failed := thrift.NewTApplicationException(thrift.INTERNAL_ERROR, "failed")
		return errors.Join(p.WriteMessageBegin(ctx, name, thrift.EXCEPTION, seq), failed.Write(ctx, p), p.WriteMessageEnd(ctx), p.Flush(ctx))
	}
	return errors.Join(
		p.WriteMessageBegin(ctx, name, thrift.REPLY, seq),
		p.WriteStructBegin(ctx, name+"_result"),
		p.WriteFieldBegin(ctx, "success", thrift.STRING, 0), p.WriteBinary(ctx, body), p.WriteFieldEnd(ctx),
		p.WriteFieldStop(ctx), p.WriteStructEnd(ctx), p.WriteMessageEnd(ctx), p.Flush(ctx),
	)
}

// stop takes no more calls, and waits for those under way, as long as ctx allows.
func (s *thriftServer) stop(ctx context.Context) error {
	s.mu.Lock()
	s.stopping = true
	var err error
	if s.listener != nil { // it may stop before it serves
		err = s.listener.Close()
	}
	for conn, busy := range s.conns {
		if !busy {
			err = errors.Join(err, conn.SetReadDeadline(time.Now())) // it waits for a call that will not come
		}
	}
	s.mu.Unlock()
	done := make(chan struct{})
	go func() { s.all.Wait(); close(done) }()
	select {
	case <-done:
		return err
	case <-ctx.Done():
		return errors.Join(err, fmt.Errorf("waiting for open calls: %w", ctx.Err()))
	}
}
