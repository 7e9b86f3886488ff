package kubernetes

// The stream to a pod.

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"k8s.io/apimachinery/pkg/util/httpstream"
	"k8s.io/client-go/tools/remotecommand"
)

// Attach connects with a container's input and output until either ends, or ctx does.
func (c *Client) Attach(ctx context.Context, pod, container string, in io.Reader, out, errs io.Writer) error {
	query := url.Values{"container": {container}, "stdin": {"true"}, "stdout": {"true"}, "stderr": {"true"}}
	at := c.at(Pods, query, pod, "attach")
	socket, err := remotecommand.NewWebSocketExecutor(c.config, http.MethodGet, at.String())
	if err != nil {
		return fmt.Errorf("attaching to pod %s: %w", pod, err)
	}
	older, err := remotecommand.NewSPDYExecutor(c.config, http.MethodPost, at)
	if err != nil {
		return fmt.Errorf("attaching to pod %s: %w", pod, err)
	}
	stream, err := remotecommand.NewFallbackExecutor(socket, older, func(err error) bool {
		return httpstream.IsUpgradeFailure(err) || httpstream.IsHTTPSProxyError(err)
	})
	if err != nil {
		return fmt.Errorf("attaching to pod %s: %w", pod, err)
	}
	if err := stream.StreamWithContext(ctx, remotecommand.StreamOptions{Stdin: in, Stdout: out, Stderr: errs}); err != nil {
		return fmt.Errorf("attaching to pod %s: %w", pod, err)
	}
	return nil
}
