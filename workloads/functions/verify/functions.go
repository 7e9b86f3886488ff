// Package verify owns what the functions/* workloads do: each is invoked before anybody measures it, and what it answers and
// leaves in the object store is looked at. It must not know of tracing, and measures nothing.
package verify

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	_ "image/jpeg"
	"io"
	"math"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/tracetax/tracetax/workloads/rules"
)

// Target is what is checked.
type Target struct {
	URL     string  // of the platform
	Objects string  // the folder of the object store
	Build   string  // the folder with ffmpeg and with the film as it has to become
	Rank    float64 // of the first vertex of the graph
	Runtime string  // the file that names the runtime's client; "" is none
	Payload func(w io.Writer, size int64) error
}

// Functions checks the five functions, and writes a line for each rule to out. The error is a rules.BrokenError where one does
// not hold.
func Functions(ctx context.Context, out io.Writer, t Target) error {
	s := site{rules.At(t.URL), t}
	if t.Runtime != "" {
		client, err := os.ReadFile(t.Runtime)
		if err != nil {
			return fmt.Errorf("finding the runtime's client: %w", err)
		}
		fmt.Fprintf(out, "the runtime's client is %s\n", bytes.TrimSpace(client))
	}
	return s.Check(ctx, out, []rules.Rule{
		{Name: "dynamic-html has ten different numbers", Check: s.page},
		{Name: "uploader stores the bytes that it downloads", Check: s.uploaded},
		{Name: "thumbnailer makes a picture of 133×200", Check: s.thumbnail},
		{Name: "video-processing makes the film that ffmpeg makes (SSIM of 0.98 at least)", Check: s.film},
		{Name: "graph-pagerank finds the rank of the first vertex", Check: s.rank},
	})
}

type site struct {
	*rules.Service
	Target
}

// invoke has a function answer an event; into is a pointer to what its answer is read into.
func (s site) invoke(ctx context.Context, function, event string, into any) error {
	q, err := http.NewRequestWithContext(ctx, http.MethodPost, s.Service.URL+"/2015-03-31/functions/"+function+"/invocations", strings.NewReader(event))
	if err != nil {
		return fmt.Errorf("invoking %s: %w", function, err)
	}
	r, err := s.Client.Do(q)
	if err != nil {
		return err // it names the method and the URL
	}
	defer r.Body.Close()
	body, err := io.ReadAll(io.LimitReader(r.Body, 8<<20))
	if err != nil {
		return fmt.Errorf("reading what %s answers: %w", function, err)
	}
	if r.StatusCode != http.StatusOK {
		return fmt.Errorf("it answers %d: %.500s", r.StatusCode, body)
	}
	if err := json.Unmarshal(body, into); err != nil {
		return fmt.Errorf("its answer %.200q: %w", body, err)
	}
	return nil
}

var item = regexp.MustCompile(`<li>([0-9]+)</li>`)

func (s site) page(ctx context.Context) error {
	var page string
	if err := s.invoke(ctx, "dynamic-html", `{"user": "Ada", "size": 10, "seed": 42}`, &page); err != nil {
		return err
	}
	numbers := map[string]bool{}
	for _, found := range item.FindAllStringSubmatch(page, -1) {
		numbers[found[1]] = true
	}
	if len(numbers) != 10 || !strings.Contains(page, "Ada") {
		return fmt.Errorf("the page has %d different numbers, want 10, for Ada: %.300q", len(numbers), page)
	}
	return nil
}

// stored is the file of an object that a function says it has stored.
func (s site) stored(ctx context.Context, function, event, bucket string) (string, error) {
	var answer struct{ Key string }
	if err := s.invoke(ctx, function, event, &answer); err != nil {
		return "", err
	}
	if !filepath.IsLocal(answer.Key) {
		return "", fmt.Errorf("it says that it has stored %q", answer.Key)
	}
	return filepath.Join(s.Objects, bucket, answer.Key), nil
}

func (s site) uploaded(ctx context.Context) error {
	const size = 230_000
	file, err := s.stored(ctx, "uploader", fmt.Sprintf(`{"size": %d}`, size), "uploads")
	if err != nil {
		return err
	}
	got, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var want bytes.Buffer
	if err := s.Payload(&want, size); err != nil {
		return err
	}
	if sha256.Sum256(got) != sha256.Sum256(want.Bytes()) {
		return fmt.Errorf("the object has %d bytes with SHA-256 %x, want %d with %x", len(got), sha256.Sum256(got), size, sha256.Sum256(want.Bytes()))
	}
	return nil
}

func (s site) thumbnail(ctx context.Context) error {
	file, err := s.stored(ctx, "thumbnailer", `{"key": "picture.jpg", "width": 200, "height": 200}`, "outputs")
	if err != nil {
		return err
	}
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	picture, kind, err := image.DecodeConfig(f)
	if err != nil {
		return fmt.Errorf("reading the picture: %w", err)
	}
	if kind != "jpeg" || picture.Height != 200 || picture.Width != 133 {
		return fmt.Errorf("it is a %s of %d×%d, want a JPEG of 133×200", kind, picture.Width, picture.Height)
	}
	return nil
}

var similarity = regexp.MustCompile(`SSIM .*All:([0-9.]+)`)

func (s site) film(ctx context.Context) error {
	file, err := s.stored(ctx, "video-processing", `{"key": "film.mp4", "operation": "watermark", "seconds": 1}`, "outputs")
	if err != nil {
		return err
	}
	said, err := exec.CommandContext(ctx, filepath.Join(s.Build, "ffmpeg"), "-nostdin", "-hide_banner", "-i", file,
		"-i", filepath.Join(s.Build, "watermark.mp4"), "-lavfi", "ssim", "-f", "null", "-").CombinedOutput()
	if err != nil {
		return fmt.Errorf("comparing the films: %w: %.500s", err, said)
	}
	found := similarity.FindSubmatch(said)
	if found == nil {
		return errors.New("ffmpeg does not say how similar the films are")
	}
	if ssim, err := strconv.ParseFloat(string(found[1]), 64); err != nil || ssim < 0.98 {
		return fmt.Errorf("their SSIM is %s, want 0.98 at least", found[1])
	}
	return nil
}

func (s site) rank(ctx context.Context) error {
	var answer struct{ First float64 }
	if err := s.invoke(ctx, "graph-pagerank", `{"size": 10000, "seed": 42}`, &answer); err != nil {
		return err
	}
	if math.Abs(answer.First-s.Rank) > 1e-9 {
		return fmt.Errorf("it is %.11f, want %.11f", answer.First, s.Rank)
	}
	return nil
}
