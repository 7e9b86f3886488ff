// Package sidecar owns tracetax agent sidecar, which writes the file and the certificates of an Envoy of a mesh, and becomes that
// Envoy. It must not know who starts it, nor what is measured.
package sidecar

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/tracetax/tracetax/internal/cli/agent"
	"github.com/tracetax/tracetax/internal/cli/console"
	"github.com/tracetax/tracetax/lab/graphs/mesh"
)

// sidecar has the values of its flags.
type sidecar struct {
	mesh.Proxy
	envoy, peers, folder, shared string
	mtls, tracing                string
}

func init() { agent.Register(newSidecar) }

func newSidecar(console.Streams) *cobra.Command {
	var of sidecar
	c := &cobra.Command{
		Use:   "sidecar",
		Short: "Become an Envoy before and behind a process, or between all",
		Args:  console.UsageArgs(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			file, err := of.write()
			if err != nil {
				return err
			}
			command := []string{of.envoy, "-c", file, "--concurrency", "1", "--disable-hot-restart", "--log-level", "error"}
			return fmt.Errorf("starting Envoy, %s: %w", of.envoy, syscall.Exec(of.envoy, command, os.Environ()))
		},
	}
	f := c.Flags()
	f.StringVar(&of.envoy, "envoy", "envoy", "`file` of Envoy")
	f.StringVar(&of.Name, "name", "", "`process` that it is before and behind; none: it is between all")
	f.StringVar(&of.Listen, "listen", "", "`address` at which calls of the process come")
	f.StringVar(&of.To, "to", "", "`address` of the process")
	f.StringVar(&of.Admin, "admin", "127.0.0.1:9901", "`address` of the page of counters")
	f.StringVar(&of.peers, "peers", "", "`file` with all processes")
	f.StringVar(&of.Parses, "protocol", "auto", "what is parsed: auto, http, thrift, or tcp, which is nothing")
	f.StringVar(&of.mtls, "mtls", "off", "on: TLS between sidecars, both of which show a certificate")
	f.StringVar(&of.tracing, "tracing", "off", "on: Envoy's own spans of HTTP and gRPC")
	f.StringVar(&of.Receiver, "receiver", "", "`address` that takes them, by OTLP over gRPC")
	f.DurationVar(&of.Delay, "delay", 0, "longest time that Envoy holds a span")
	f.StringVar(&of.folder, "folder", ".", "`folder` for the file of this Envoy")
	f.StringVar(&of.shared, "shared", ".", "`folder` for what all Envoys of a run have in common")
	return c
}

// write writes what Envoy reads, and returns the name of its file.
func (s sidecar) write() (string, error) {
	text, err := os.ReadFile(s.peers)
	if err != nil {
		return "", fmt.Errorf("reading the processes that calls go to: %w", err)
	}
	if err := json.Unmarshal(text, &s.Peers); err != nil {
		return "", fmt.Errorf("reading the processes that calls go to, %s: %w", s.peers, err)
	}
	if s.tracing != "on" {
		s.Receiver = ""
	} else if s.Receiver == "" {
		return "", console.UsageError(errors.New("give --receiver the address that takes Envoy's spans"))
	}
	if s.Name != "" {
		if s.Host, _, err = net.SplitHostPort(s.Listen); err != nil {
			return "", console.UsageError(fmt.Errorf("--listen: %w", err))
		}
	}
	if err := os.MkdirAll(s.folder, 0o755); err != nil {
		return "", fmt.Errorf("making the folder of the sidecar: %w", err)
	}
	if s.mtls == "on" && s.Name != "" {
		if s.TLS, err = mesh.NewTLS(s.shared, s.folder, s.Name); err != nil {
			return "", err
		}
	} else if s.mtls == "on" {
		s.TLS = &mesh.TLS{} // which Config refuses
	}
	config, err := s.Config()
	if err != nil {
		return "", fmt.Errorf("the sidecar of %s: %w", s.Name, err)
	}
	file := filepath.Join(s.folder, "envoy.json")
	if err := os.WriteFile(file, config, 0o600); err != nil {
		return "", fmt.Errorf("writing Envoy's file: %w", err)
	}
	return file, nil
}
