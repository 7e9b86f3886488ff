// Package image owns the container image of tracetax itself: one static binary, the certificates of authorities, and what says of
// which build it is. No container engine is needed. It must not know where images run.
package image

import (
	"archive/tar"
	"bytes"
	"debug/buildinfo"
	"debug/elf"
	"encoding/pem"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/tracetax/tracetax/internal/build"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

const (
	// Program is where the binary is in an image.
	Program = "/usr/local/bin/tracetax"
	// User runs it, by number: runAsNonRoot of Kubernetes wants a number.
	User         = "65532:65532"
	certificates = "etc/ssl/certs/ca-certificates.crt"
	repository   = "https://github.com/tracetax/tracetax"
)

// Binary is a tracetax that an image can be made of.
type Binary struct {
	Arch string // amd64, arm64
	Info *debug.BuildInfo
	path string
}

// Open checks that a file is a program for Linux, made by Go, that starts without anything else in its image.
func Open(path string) (Binary, error) {
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return Binary{}, fmt.Errorf("%s: not a tracetax: %w", path, err)
	}
	if system := build.Setting(info, "GOOS"); system != "linux" {
		return Binary{}, fmt.Errorf("%s: made for %s, and a container runs programs for Linux: take tracetax for linux from the same release, "+
			"or build it with GOOS=linux CGO_ENABLED=0, and give it by --binary", path, system)
	}
	file, err := elf.Open(path)
	if err != nil {
		return Binary{}, fmt.Errorf("%s: %w", path, err)
	}
	defer file.Close()
	if slices.ContainsFunc(file.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP }) {
		return Binary{}, fmt.Errorf("%s: linked with a C library, which is not in the image: take tracetax from a release, "+
			"or build it with CGO_ENABLED=0", path)
	}
	return Binary{Arch: build.Setting(info, "GOARCH"), Info: info, path: path}, nil
}

// OpenAll opens several binaries, one for each architecture, all of the build that info is of: what reads each other's words must be
// of the same code.
func OpenAll(paths []string, info *debug.BuildInfo) ([]Binary, error) {
	var all []Binary
	for _, path := range paths {
		one, err := Open(path)
		if err != nil {
			return nil, err
		}
		if err := build.Same(info, one.Info); err != nil {
			return nil, fmt.Errorf("%s: it and this tracetax must be one build: %w", path, err)
		}
		if slices.ContainsFunc(all, func(b Binary) bool { return b.Arch == one.Arch }) {
			return nil, fmt.Errorf("%s: a second binary for %s: give one for each architecture", path, one.Arch)
		}
		all = append(all, one)
	}
	return all, nil
}

// Image is the image of a binary: the same bytes each time.
func (b Binary) Image(version string) (v1.Image, error) {
	files, err := b.archive()
	if err != nil {
		return nil, err
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(files)), nil },
		tarball.WithMediaType(types.OCILayer), tarball.WithCompressedCaching)
	if err != nil {
		return nil, fmt.Errorf("packing the image: %w", err)
	}
	base := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	made, err := mutate.AppendLayers(base, layer)
	if err != nil {
		return nil, fmt.Errorf("packing the image: %w", err)
	}
	config, err := made.ConfigFile()
	if err != nil {
		return nil, fmt.Errorf("packing the image: %w", err)
	}
	config = config.DeepCopy()
	config.OS, config.Architecture, config.Created = "linux", b.Arch, v1.Time{Time: b.time()}
	config.Config = v1.Config{
		User: User, WorkingDir: "/tmp", Entrypoint: []string{Program},
		Env:    []string{"PATH=/usr/local/bin", "HOME=/tmp"},
		Labels: b.labels(version),
	}
	return mutate.ConfigFile(made, config)
}

func (b Binary) labels(version string) map[string]string {
	labels := map[string]string{
		"org.opencontainers.image.title":    "tracetax",
		"org.opencontainers.image.version":  version,
		"org.opencontainers.image.source":   repository,
		"org.opencontainers.image.licenses": "Apache-2.0",
	}
	if revision := build.Revision(b.Info); revision != "" {
		labels["org.opencontainers.image.revision"] = revision
	}
	return labels
}

// time is that of the commit, and the year 1970 where it is unknown: that of the making would change the image each time.
func (b Binary) time() time.Time {
	if at, err := time.Parse(time.RFC3339, build.Setting(b.Info, "vcs.time")); err == nil {
		return at.UTC()
	}
	return time.Unix(0, 0).UTC()
}

// archive are the files of an image.
func (b Binary) archive() ([]byte, error) {
	program, err := os.ReadFile(b.path)
	if err != nil {
		return nil, fmt.Errorf("packing the image: %w", err)
	}
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, dir := range []string{"etc/", "etc/ssl/", "etc/ssl/certs/", "tmp/", "usr/", "usr/local/", "usr/local/bin/"} {
		mode := int64(0o755)
		if dir == "tmp/" {
			mode = 0o1777
		}
		if err := b.add(w, tar.Header{Typeflag: tar.TypeDir, Name: dir, Mode: mode}, nil); err != nil {
			return nil, err
		}
	}
	if err := b.add(w, tar.Header{Name: certificates, Mode: 0o644}, Authorities()); err != nil {
		return nil, err
	}
	if err := b.add(w, tar.Header{Name: strings.TrimPrefix(Program, "/"), Mode: 0o755}, program); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("packing the image: %w", err)
	}
	return out.Bytes(), nil
}

func (b Binary) add(to *tar.Writer, header tar.Header, text []byte) error {
	header.Size, header.ModTime, header.Format = int64(len(text)), b.time(), tar.FormatUSTAR
	if err := to.WriteHeader(&header); err != nil {
		return fmt.Errorf("packing %s: %w", header.Name, err)
	}
	if _, err := to.Write(text); err != nil {
		return fmt.Errorf("packing %s: %w", header.Name, err)
	}
	return nil
}

// Authorities are the certificates, as PEM, that Mozilla trusts for servers: those of the module golang.org/x/crypto/x509roots, which
// go.sum pins, so an image does not depend on the machine that makes it. Left out are those trusted up to a day only: a file cannot
// say so.
func Authorities() []byte {
	var out bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint == nil {
			out.Write(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}))
		}
	}
	return out.Bytes()
}
