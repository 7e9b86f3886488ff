// Node's own profiler, by the inspector that every Node opens on a signal: nothing needs to be loaded before.

package profiler

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"syscall"
	"time"

	"github.com/tracetax/tracetax/internal/process/output"
	"github.com/tracetax/tracetax/internal/profile"
	"golang.org/x/net/websocket"
)

const nodeProfiler = "Node's inspector"

// listening matches the line that Node writes when its inspector is open.
var listening = output.MustCompile(`Debugger listening on (ws://\S+)`)

// startNode opens the inspector of a Node, and starts sampling its main thread.
func startNode(ctx context.Context, o Order, t target) (*Recording, error) {
	address, err := openInspector(ctx, o, slices.Min(t.pids))
	if err != nil {
		return nil, err
	}
	c, err := dial(ctx, address)
	if err != nil {
		return nil, err
	}
	interval := offBeat(max(o.Interval, time.Millisecond/10))
	for _, one := range []struct {
		method string
		params any
	}{
		{"Profiler.enable", nil},
		{"Profiler.setSamplingInterval", map[string]int64{"interval": interval.Microseconds()}},
		{"Profiler.start", nil},
	} {
		if _, err := c.call(ctx, one.method, one.params); err != nil {
			return nil, errors.Join(err, c.conn.Close())
		}
	}
	return &Recording{Interval: interval, Partial: true, stop: func(ctx context.Context) (*profile.Profile, error) {
		defer c.conn.Close() // all has been read
		result, err := c.call(ctx, "Profiler.stop", nil)
		if err != nil {
			return nil, err
		}
		var stopped struct{ Profile json.RawMessage }
		if err := json.Unmarshal(result, &stopped); err != nil {
			return nil, fmt.Errorf("reading its samples: %w", err)
		}
		p, err := profile.Read(profile.CPUProfile, bytes.NewReader(stopped.Profile))
		if err != nil {
			return nil, fmt.Errorf("reading its samples: %w", err)
		}
		// The port is the same for every Node: the next one needs it. The call gets no answer.
		return p, c.send("Runtime.evaluate", map[string]string{"expression": "process._debugEnd()"})
	}}, nil
}

// openInspector makes a Node open its inspector, and returns its address. The log may have lines of earlier ones.
func openInspector(ctx context.Context, o Order, pid int) (string, error) {
	before, _, err := addresses(ctx, o)
	if err != nil {
		return "", err
	}
	if err := syscall.Kill(pid, syscall.SIGUSR1); err != nil {
		return "", fmt.Errorf("asking for it by SIGUSR1: %w", err)
	}
	deadline := time.NewTimer(startPatience)
	defer deadline.Stop()
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for {
		n, last, err := addresses(ctx, o)
		switch {
		case err != nil:
			return "", err
		case n > before:
			return last, nil
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return "", context.Cause(ctx)
		case <-deadline.C:
			return "", fmt.Errorf("it did not open within %v of SIGUSR1: the program has that signal for itself, its port is taken (NODE_OPTIONS=--inspect-port=0 gives each its own), or stderr does not go to the log", startPatience)
		}
	}
}

// addresses returns the number of inspectors in a log, and the address of the last.
func addresses(ctx context.Context, o Order) (n int, last string, err error) {
	err = o.Log.Lines(ctx, func(line string) error {
		if m := listening.Find(line); m != nil {
			n, last = n+1, m[1]
		}
		return nil
	})
	return n, last, err
}

// inspector is a connection to an inspector.
type inspector struct {
	conn *websocket.Conn
	last int
}

func dial(ctx context.Context, address string) (*inspector, error) {
	at, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("reading its address: %w", err)
	}
	config := &websocket.Config{Location: at, Origin: &url.URL{Scheme: "http", Host: at.Host}, Version: websocket.ProtocolVersionHybi13}
	conn, err := config.DialContext(ctx)
	if err != nil {
		return nil, fmt.Errorf("connecting to %s: %w", address, err)
	}
	conn.MaxPayloadBytes = mostSamples
	return &inspector{conn: conn}, nil
}

// mostSamples bounds the size of one message with samples, in bytes.
const mostSamples = 512 << 20

func (c *inspector) send(method string, params any) error {
	c.last++
	err := websocket.JSON.Send(c.conn, struct {
		ID     int    `json:"id"`
		Method string `json:"method"`
		Params any    `json:"params,omitempty"`
	}{c.last, method, params})
	if err != nil {
		return fmt.Errorf("asking for %s: %w", method, err)
	}
	return nil
}

// call sends a request, and waits for its answer. It skips events between.
func (c *inspector) call(ctx context.Context, method string, params any) (json.RawMessage, error) {
	stop := context.AfterFunc(ctx, func() { c.conn.Close() })
	defer stop()
	if err := c.conn.SetDeadline(time.Now().Add(stopPatience)); err != nil {
		return nil, err
	}
	if err := c.send(method, params); err != nil {
		return nil, err
	}
	for {
		var answer struct {
			ID     int
			Result json.RawMessage
			Error  *struct{ Message string }
		}
		switch err := websocket.JSON.Receive(c.conn, &answer); {
		case err != nil:
			return nil, fmt.Errorf("waiting for %s: %w", method, err)
		case answer.ID != c.last:
		case answer.Error != nil:
			return nil, fmt.Errorf("%s: %s", method, answer.Error.Message)
		default:
			return answer.Result, nil
		}
	}
}
