package container

// Images: what they hold, where they come from, and questions to what is in them.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
)

// Image is an image on this machine.
type Image struct {
	Engine  Engine
	Name    string   // as it was asked for
	ID      string   // the digest of its configuration, sha256:…
	Digest  string   // by which a registry knows it, NAME@sha256:…; "" if it was made here
	Command []string // its own command; nil: none
	Env     []string // NAME=value
}

// Of returns an image, and fetches it if this machine does not have it. progress, which may be nil, gets what the engine prints
// meanwhile. It fails for an image of another architecture or system: an emulation is no measurement.
func Of(ctx context.Context, e Engine, name string, progress io.Writer) (Image, error) {
	if strings.HasPrefix(name, "-") {
		return Image{}, fmt.Errorf("%q is no name of an image", name)
	}
	found, err := e.inspect(ctx, name)
	if err == nil || ctx.Err() != nil {
		return found, err
	}
	if unknown := new(commandError); !errors.As(err, &unknown) {
		return Image{}, err
	}
	if err := e.pull(ctx, name, progress); err != nil {
		return Image{}, fmt.Errorf("image %s is not on this machine, and cannot be pulled: %w "+
			"(build it, load it, or correct its name)", name, err)
	}
	return e.inspect(ctx, name)
}

func (e Engine) pull(ctx context.Context, name string, progress io.Writer) error {
	c := exec.CommandContext(ctx, e.Path, "pull", name)
	var said strings.Builder
	c.Stdout, c.Stderr = io.Discard, &said
	if progress != nil {
		if _, err := fmt.Fprintf(progress, "pulling image %s with %s\n", name, e.Name); err != nil {
			return err
		}
	}
	if err := c.Run(); err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return &commandError{command: e.Name + " pull", said: lastLine(said.String()), err: err}
	}
	return nil
}

func (e Engine) inspect(ctx context.Context, name string) (Image, error) {
	text, err := e.ask(ctx, "image", "inspect", name)
	if err != nil {
		return Image{}, err
	}
	image, err := parseImage(text, runtime.GOARCH)
	image.Engine, image.Name = e, name
	if err != nil {
		return image, fmt.Errorf("image %s: %w", name, err)
	}
	return image, nil
}

// parseImage reads what the engine says of one image, which is to be for this architecture.
func parseImage(text, architecture string) (Image, error) {
	var all []struct {
		ID           string `json:"Id"`
		RepoDigests  []string
		Architecture string
		Os           string //nolint:staticcheck // the engine's word
		Config       struct {
			Env             []string
			Cmd, Entrypoint []string
		}
	}
	if err := json.Unmarshal([]byte(text), &all); err != nil || len(all) != 1 {
		return Image{}, errors.Join(errors.New("what the engine says of it is not in the known format"), err)
	}
	one := all[0]
	if one.Os != "linux" || one.Architecture != architecture {
		return Image{}, fmt.Errorf("it is for %s/%s, and this machine runs linux/%s: build it for that, "+
			"or pull it with --platform linux/%s",
			one.Os, one.Architecture, architecture, architecture)
	}
	out := Image{ID: one.ID, Command: append(one.Config.Entrypoint, one.Config.Cmd...), Env: one.Config.Env}
	if !strings.HasPrefix(out.ID, "sha256:") { // podman
		out.ID = "sha256:" + out.ID
	}
	if len(one.RepoDigests) > 0 {
		out.Digest = one.RepoDigests[0]
	}
	return out, nil
}

// Ask runs a command in a container of the image, without a network, and returns what it prints.
func (i Image) Ask(ctx context.Context, command ...string) (string, error) {
	args := []string{
		"run", "--rm", "--network", "none", "--pull", "never", "--log-driver", "none", "--no-healthcheck",
		"--label", fmt.Sprintf("%s=%d-ask", Label, os.Getpid()), "--label", hostLabel + "=" + host(), "--entrypoint", command[0], i.ID,
	}
	return i.Engine.ask(ctx, append(args, command[1:]...)...)
}
