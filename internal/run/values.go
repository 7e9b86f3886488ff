// What placeholders stand for in the texts of processes and in requests to them, and where the
// processes of a workload are reached.

package run

import (
	"maps"
	"net"
	"path/filepath"
	"slices"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/protocol"
)

// valuesFor is what placeholders stand for in the texts of a process.
func (s *stage) valuesFor(p config.Process) map[string]string {
	values := maps.Clone(s.values)
	s.ports.Inside(p, values)
	values["templates"] = filepath.Join(values["templates"], p.Name)
	s.hopValues(p, values)
	return s.withFolders(values, p)
}

// asking is what they stand for in a request to a process.
func (s *stage) asking(p config.Process) map[string]string {
	values := maps.Clone(s.values)
	s.ports.Asking(p, values)
	return s.withFolders(values, p)
}

// withFolders adds the folders that differ between processes.
func (s *stage) withFolders(values map[string]string, p config.Process) map[string]string {
	folders := s.request.Folders
	if p.Service != nil {
		values["service"] = folders.Service[p.Name]
	}
	if folders.Plain != "" && !p.Traced {
		values["build"] = folders.Plain
	}
	if built, own := folders.Built[p.Name]; own {
		values["build"] = built
	}
	return values
}

// hopValues fills in the configuration of a process that is a hop, and where it passes spans on to.
func (s *stage) hopValues(p config.Process, values map[string]string) {
	if config, own := s.values[p.Name+".config"]; own {
		values["config"] = config
	}
	if slices.Contains(s.request.Plan.Via, p.Name) {
		s.direct(values, s.received[s.request.Plan.Next(p.Name)])
		values[protocol.CopiesGRPC], values[protocol.CopiesHTTP] = s.received[""][protocol.OTLPGRPC], s.received[""][protocol.OTLPHTTP]
	}
}

// direct puts addresses in the place of the sink's, which keeps those of protocols that the receiver of spans does not speak:
// other signals may go by them.
func (s *stage) direct(values map[string]string, to protocol.Addresses) {
	maps.Copy(values, s.received[""].Values())
	maps.Copy(values, to.Values())
}

// app is the process of a name; nil where none of the workload's was started.
func (s *stage) app(name string) Process {
	for _, app := range s.apps {
		if app.Name() == name {
			return app
		}
	}
	return nil
}

// address is where a process of the workload listens.
func (s *stage) address(name string) string {
	return net.JoinHostPort(s.app(name).Address(), s.ports.Of(name))
}

// front is where a process of the workload is asked: where it listens, or what stands in front of it.
func (s *stage) front(name string) string { return s.address(s.ports.Front(name)) }
