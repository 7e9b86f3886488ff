// Captured packets that the results folder keeps, with what they do not tell.

package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/record"
)

// awaitPackets waits until what captures packets has all of them, where a level that is about to be stopped has it.
func (s *stage) awaitPackets(ctx context.Context, level []program.Process) error {
	behind := s.request.Plan.Packets.Behind
	if behind == 0 || !slices.ContainsFunc(level, program.Process.Brought) {
		return nil
	}
	select {
	case <-time.After(behind):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// keepCapture copies captured packets into the results folder, and writes beside them whose addresses they have.
func (s *stage) keepCapture(files []string) error {
	if s.request.Captures == 0 || len(files) == 0 {
		return nil
	}
	r, folder := s.record, filepath.Join(s.results, record.Captures)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("keeping captured packets: %w", err)
	}
	of := record.Capture{Workload: r.Workload, Variant: r.Variant, Block: s.request.Captures, Dropped: r.Packets.Dropped, Phases: s.made}
	whole := fmt.Sprintf("%s-%d", of.Variant, of.Block)
	for i, file := range files {
		name := whole
		if i > 0 {
			name += "-" + strconv.Itoa(i+1)
		}
		if err := copyFile(file, filepath.Join(folder, name+".pcap")); err != nil {
			return fmt.Errorf("keeping captured packets: %w", err)
		}
		of.Files = append(of.Files, name+".pcap")
	}
	for _, p := range s.apps {
		planned, _ := s.planned(p.Name())
		one := record.Captured{Name: p.Name(), Role: string(planned.Role), Address: s.host(p), Ports: s.ports.All(p.Name())}
		if planned.Service != nil {
			one.Store = planned.Service.Name
		}
		of.Processes = append(of.Processes, one)
	}
	text, err := json.MarshalIndent(of, "", "  ")
	if err != nil {
		return fmt.Errorf("keeping captured packets: %w", err)
	}
	if err := os.WriteFile(filepath.Join(folder, whole+".json"), append(text, '\n'), 0o644); err != nil {
		return fmt.Errorf("keeping captured packets: %w", err)
	}
	return nil
}

func copyFile(from, to string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
