package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
	"github.com/tracetax/tracetax/internal/cli/console"
	"github.com/tracetax/tracetax/internal/image"
)

func newImage(s console.Streams) *cobra.Command {
	var push, out string
	var binaries []string
	c := &cobra.Command{
		Use:   "image --push REGISTRY/NAME | --out FILE",
		Short: "Make the container image of this tracetax, without an engine",
		Long: `Make the container image of this tracetax: its binary, the certificates of authorities,
user ` + image.User + `. No container engine is needed. For builds of your own, and for
clusters that cannot reach the images of releases: what runs in a cluster must be of the
same build as what runs here.

An image of the running binary is for machines as this one. For others add the tracetax
of the same version or commit, by --binary: from its release, or built with
GOOS=linux GOARCH=arm64 CGO_ENABLED=0. The login is that of docker or podman.`,
		Example: `  tracetax image --push registry.example/tools/tracetax
  tracetax image --push registry.example/tools/tracetax --binary arm64/tracetax
  tracetax image --out tracetax.tar && docker load -i tracetax.tar`,
		Args: console.UsageArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			if (push == "") == (out == "") {
				return console.UsageError(errors.New("say where the image goes: --push REGISTRY/NAME, or --out FILE"))
			}
			return makeImage(c.Context(), s, push, out, binaries)
		},
	}
	f := c.Flags()
	f.StringVar(&push, "push", "", "send the image to a registry: `REGISTRY/NAME[:TAG]`, with the version as the tag by default")
	f.StringVar(&out, "out", "", "write the image into a `FILE`, for 'docker load' and its like")
	f.StringArrayVar(&binaries, "binary", nil, "add the tracetax of another architecture, in `FILE` (can be repeated)")
	return c
}

// makeImage makes the image of the running binary, and of those added, and sends it to a registry or writes it into a file.
func makeImage(ctx context.Context, s console.Streams, push, out string, added []string) error {
	all, err := imagesOf(added)
	if err != nil {
		return err
	}
	var name string
	switch {
	case push != "":
		name, err = image.Push(ctx, push, Version(), all)
	case len(all) > 1:
		return console.UsageError(errors.New("a file has the image of one architecture: leave --binary out, or --push them to a registry"))
	default:
		name, err = image.Save(out, Version(), all[0])
	}
	if err != nil {
		return err
	}
	fmt.Fprintln(s.Out, name)
	var machines []string
	for _, b := range all {
		machines = append(machines, "linux/"+b.Arch)
	}
	fmt.Fprintf(s.Err, "for %s; for other machines: --binary FILE, the tracetax %s for them\n", strings.Join(machines, ", "), Version())
	return nil
}

// imagesOf are the binaries of an image: the running one where it is for Linux, and those that were added.
func imagesOf(added []string) ([]image.Binary, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding the binary of this tracetax: %w", err)
	}
	var all []image.Binary
	one, mine := image.Open(self)
	if mine == nil {
		all = append(all, one)
	} else if len(added) == 0 {
		return nil, mine
	}
	if len(added) == 0 {
		return all, nil
	}
	info, _ := debug.ReadBuildInfo()
	others, err := image.OpenAll(added, info)
	if err != nil {
		return nil, err
	}
	for _, other := range others {
		if mine == nil && other.Arch == one.Arch {
			return nil, console.UsageError(fmt.Errorf("the running tracetax is for %s itself: leave out --binary with another one for it", one.Arch))
		}
	}
	return append(all, others...), nil
}
