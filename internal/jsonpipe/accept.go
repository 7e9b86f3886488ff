package jsonpipe

import (
	"context"
	"fmt"
	"net"
	"sync"
)

// Accept takes connections until ctx ends, and serves each by itself; it closes them, and waits until all are served.
func Accept(ctx context.Context, l net.Listener, serve func(context.Context, net.Conn)) error {
	stop := context.AfterFunc(ctx, func() { l.Close() })
	defer stop()
	var all sync.WaitGroup
	defer all.Wait()
	for {
		c, err := l.Accept()
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return fmt.Errorf("taking connections of conductors: %w", err)
		}
		all.Go(func() {
			defer c.Close()
			end := context.AfterFunc(ctx, func() { c.Close() })
			defer end()
			serve(ctx, c)
		})
	}
}
