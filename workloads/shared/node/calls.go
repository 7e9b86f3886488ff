// How nodes are called and call, over connections that are kept: HTTP/1.1 and gRPC; Thrift is in thrift.go, real
// stores are in stores.go.

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

// callTimeout bounds one call.
const callTimeout = 10 * time.Second

// client calls one node.
type client interface {
	call(ctx context.Context, method string, bytes int) error
	close()
}

// server answers calls.
type server interface {
	serve(net.Listener) error
	stop(context.Context) error
}

func newClient(name string, to peer, from string) (client, error) {
	dialer := &net.Dialer{Timeout: callTimeout, LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	var c client
	switch {
	case len(to.Addresses) == 0:
		return nil, errors.New("it has no address")
	case to.Protocol == "http":
		transport := http.DefaultTransport.(*http.Transport).Clone()
		transport.Proxy, transport.DialContext = nil, dialer.DialContext
		transport.MaxIdleConns, transport.MaxIdleConnsPerHost = 0, 512 // the default keeps two and would dial again under load
		var traced http.RoundTripper = transport
		if !to.Store {
			traced = traceTransport(transport)
		}
		c = &httpClient{addresses: to.Addresses, client: &http.Client{Transport: traced, Timeout: callTimeout}}
	case to.Protocol == "grpc":
		of := &grpcClient{service: name}
		var traced []grpc.DialOption
		if !to.Store {
			traced = traceCalls()
		}
		options := append(traced, grpc.WithTransportCredentials(insecure.NewCredentials()),
			grpc.WithContextDialer(func(ctx context.Context, address string) (net.Conn, error) {
				return dialer.DialContext(ctx, "tcp4", address)
			}))
		for _, address := range to.Addresses {
			conn, err := grpc.NewClient("passthrough:///"+address, options...)
			if err != nil {
				of.close()
				return nil, err
			}
			of.conns = append(of.conns, conn)
		}
		c = of
	case to.Protocol == "thrift":
		of := &thriftClient{name: name, trace: traceThriftCall, addresses: to.Addresses, idle: map[string][]*thriftConn{}, dial: func(ctx context.Context, address string) (net.Conn, error) {
			return dialer.DialContext(ctx, "tcp4", address)
		}}
		if to.Store {
			of.trace = untraced
		}
		c = of
	case kinds[to.Protocol] != nil:
		var err error
		if c, err = newStores(to, dialer.DialContext); err != nil {
			return nil, err
		}
	default:
		return nil, fmt.Errorf("the protocol %q is not known", to.Protocol)
	}
	if to.Store {
		return storeClient{c, name}, nil
	}
	return c, nil
}

// storeClient makes the span of a client of a database: a database makes none.
type storeClient struct {
	client
	name string
}

func (c storeClient) call(ctx context.Context, method string, bytes int) error {
	return traceStore(ctx, c.name, method, func(ctx context.Context) error { return c.client.call(ctx, method, bytes) })
}

func newServer(n *node) server {
	switch n.plan.Protocol {
	case "grpc":
		return newGRPCServer(n)
	case "thrift":
		return newThriftServer(n)
	}
	handler := http.Handler(n.handler())
	if !n.plan.Store {
		handler = traceHandler(handler)
	}
	return httpServer{&http.Server{Handler: handler, ReadHeaderTimeout: callTimeout, ErrorLog: log.Default()}}
}

// HTTP/1.1: POST /METHOD with a body, GET /METHOD without one.

type httpClient struct {
	addresses []string
	next      atomic.Uint32
	client    *http.Client
}

func (c *httpClient) call(ctx context.Context, method string, size int) error {
	address := c.addresses[int(c.next.Add(1))%len(c.addresses)]
	verb, body := http.MethodGet, io.Reader(nil)
	if size > 0 {
		verb, body = http.MethodPost, bytes.NewReader(zeros[:size])
	}
	request, err := http.NewRequestWithContext(ctx, verb, "http://"+address+"/"+method, body)
	if err != nil {
		return err
	}
	response, err := c.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil { // to its end, so that the connection is kept
		return err
	}
	if response.StatusCode == http.StatusInternalServerError {
		return errAnswered // it has said why
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s", request.URL, response.Status)
	}
	return nil
}

func (c *httpClient) close() { c.client.CloseIdleConnections() }

type httpServer struct{ *http.Server }

func (s httpServer) serve(l net.Listener) error {
	if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func (s httpServer) stop(ctx context.Context) error {
	if err := s.Shutdown(ctx); err != nil {
		return fmt.Errorf("waiting for open requests: %w", err)
	}
	return nil
}

// handler answers HTTP.
func (n *node) handler() http.Handler {
	mux := http.NewServeMux()
	for name := range n.plan.Methods {
		mux.HandleFunc("/"+name, func(w http.ResponseWriter, r *http.Request) {
			if _, err := io.Copy(io.Discard, r.Body); err != nil {
				http.Error(w, "the body ended early", http.StatusBadRequest)
				return
			}
			body, err := n.answer(r.Context(), name)
			if err != nil {
				complain(err)
				http.Error(w, "failed", http.StatusInternalServerError)
				return
			}
			w.Header().Set("Content-Type", "application/octet-stream")
			if _, err := w.Write(body); err != nil {
				complain(err)
			}
		})
	}
	return mux
}

// gRPC: the service is called as the node, and a message is bytes.

type grpcClient struct {
	service string
	conns   []*grpc.ClientConn
	next    atomic.Uint32
}

func (c *grpcClient) call(ctx context.Context, method string, size int) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	conn := c.conns[int(c.next.Add(1))%len(c.conns)]
	err := conn.Invoke(ctx, "/"+c.service+"/"+method, &wrapperspb.BytesValue{Value: zeros[:size]}, &wrapperspb.BytesValue{})
	if status.Code(err) == codes.Internal {
		return errAnswered
	}
	return err
}

func (c *grpcClient) close() {
	for _, conn := range c.conns {
		complain(conn.Close())
	}
}

type grpcServer struct{ *grpc.Server }

func newGRPCServer(n *node) grpcServer {
	var traced []grpc.ServerOption
	if !n.plan.Store {
		traced = traceService()
	}
	s := grpc.NewServer(traced...)
	service := grpc.ServiceDesc{ServiceName: n.plan.Node, HandlerType: (*any)(nil)}
	for name := range n.plan.Methods {
		service.Methods = append(service.Methods, grpc.MethodDesc{MethodName: name, Handler: n.grpcHandler(name)})
	}
	s.RegisterService(&service, n)
	return grpcServer{s}
}

func (n *node) grpcHandler(name string) grpc.MethodHandler {
	return func(_ any, ctx context.Context, decode func(any) error, intercept grpc.UnaryServerInterceptor) (any, error) {
		var in wrapperspb.BytesValue
		if err := decode(&in); err != nil {
			return nil, err
		}
		handle := func(ctx context.Context, _ any) (any, error) {
			body, err := n.answer(ctx, name)
			if err != nil {
				complain(err)
				return nil, status.Error(codes.Internal, "failed")
			}
			return &wrapperspb.BytesValue{Value: body}, nil
		}
		if intercept == nil {
			return handle(ctx, &in)
		}
		return intercept(ctx, &in, &grpc.UnaryServerInfo{Server: n, FullMethod: "/" + n.plan.Node + "/" + name}, handle)
	}
}

func (s grpcServer) serve(l net.Listener) error { return s.Serve(l) }

// stop waits for open calls, as long as ctx allows.
func (s grpcServer) stop(ctx context.Context) error {
	done := make(chan struct{})
	go func() { s.GracefulStop(); close(done) }()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		s.Stop()
		return fmt.Errorf("waiting for open calls: %w", ctx.Err())
	}
}

// zeros are the bodies of all requests.
var zeros = make([]byte, 1<<20)

// complain logs an error that is not on purpose. That a caller went away is its own matter.
func complain(err error) {
	if err != nil && !errors.Is(err, errOnPurpose) && !errors.Is(err, errAnswered) && !errors.Is(err, context.Canceled) {
		log.Print("node: ", err)
	}
}
