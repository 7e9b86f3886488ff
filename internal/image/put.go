package image

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// Tag is a version as the tag of an image, which knows no +.
func Tag(version string) string { return strings.ReplaceAll(version, "+", "-") }

// reference reads REGISTRY/NAME[:TAG]; the tag is by default that of the version.
func reference(text, version string) (name.Tag, error) {
	ref, err := name.ParseReference(text, name.WithDefaultTag(Tag(version)))
	if err != nil {
		return name.Tag{}, fmt.Errorf("%q is no name of an image such as registry.example/tools/tracetax: %w", text, err)
	}
	tag, is := ref.(name.Tag)
	if !is {
		return name.Tag{}, fmt.Errorf("%q names an image by its digest, which comes of what is pushed: leave it out", text)
	}
	return tag, nil
}

// Push makes the images and sends them to a registry, under a name REGISTRY/NAME[:TAG], which has that of the right architecture for
// each machine. The login is that of 'docker login' or 'podman login'. It returns the name with its digest.
func Push(ctx context.Context, to, version string, binaries []Binary) (string, error) {
	tag, err := reference(to, version)
	if err != nil {
		return "", err
	}
	images := make([]v1.Image, len(binaries))
	for i, b := range binaries {
		if images[i], err = b.Image(version); err != nil {
			return "", err
		}
	}
	options := []remote.Option{
		remote.WithContext(ctx), remote.WithAuthFromKeychain(authn.DefaultKeychain), remote.WithUserAgent("tracetax/" + version),
	}
	var digest v1.Hash
	if len(images) == 1 {
		if err = remote.Write(tag, images[0], options...); err == nil {
			digest, err = images[0].Digest()
		}
	} else {
		index := v1.ImageIndex(empty.Index)
		for i, b := range binaries {
			index = mutate.AppendManifests(index, mutate.IndexAddendum{
				Add: images[i], Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: "linux", Architecture: b.Arch}},
			})
		}
		if err = remote.WriteIndex(tag, index, options...); err == nil {
			digest, err = index.Digest()
		}
	}
	if err != nil {
		return "", fmt.Errorf("pushing %s (does 'docker login %s' help?): %w", tag, tag.RegistryStr(), err)
	}
	return tag.Name() + "@" + digest.String(), nil
}

// Save makes the image and writes it into a file that 'docker load', 'podman load' and 'ctr images import' take. It returns its name
// there.
func Save(path, version string, b Binary) (string, error) {
	const local = "tracetax"
	tag, err := name.NewTag(local + ":" + Tag(version))
	if err != nil {
		return "", fmt.Errorf("naming the image of version %s: %w", version, err)
	}
	made, err := b.Image(version)
	if err != nil {
		return "", err
	}
	// Beside it first: no half of an image is left where one was asked for.
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return "", fmt.Errorf("writing the image: %w", err)
	}
	defer os.Remove(file.Name()) // gone when all is well
	err = tarball.Write(tag, made, file)
	if err == nil {
		err = file.Chmod(0o644)
	}
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return "", fmt.Errorf("writing the image to %s: %w", path, err)
	}
	return local + ":" + Tag(version), nil
}
