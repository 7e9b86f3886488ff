// A process in a container: the keys of its image, and what goes with them.

package program

import (
	"net/url"
	"slices"
	"strings"
)

// ImageWord is the placeholder of the command of a process whose image has one: a run puts the image's own words in its place.
const ImageWord = "image"

// PortVariable is the variable that tells a program in an image its port, where nothing else does.
const PortVariable = "PORT"

// image reads the name of an image.
func (s *Source) image(n *Node) string {
	text := s.Line(n)
	switch {
	case text == "":
		s.Fail(n.At, "image is empty: write the name of an image, such as shop:1.2")
	case strings.HasPrefix(text, "-") || strings.ContainsAny(text, " \t{}"):
		s.Fail(n.At, "image: %q is no name of an image, such as shop:1.2 or registry.example/shop@sha256:…", Printable(text))
	}
	return text
}

// imaged checks the keys that a process in an image has, or cannot have.
func (p *Process) imaged(s *Source, n *Node) {
	image := n.Get("image")
	if image == nil {
		for _, key := range []string{"engine", "args"} {
			if of := n.Get(key); of != nil {
				s.Fail(of.At, "%s goes with image:, and this process has none", key)
			}
		}
		return
	}
	for key, why := range map[string]string{
		"service": "a service is a program of this machine; leave one of image and service out",
		"starts":  "what an image's command starts is in the image; write its whole command into run",
	} {
		if of := n.Get(key); of != nil {
			s.Fail(of.At, "%s", why)
		}
	}
	if args := n.Get("args"); args != nil && n.Get("run") != nil {
		s.Fail(args.At, "args stand behind the image's own command, and run replaces that: write them into run")
	}
}

// InImage returns a process of an image as a plan has it: with a command, and told its port if no text does and no operation
// has a port of its own.
func (p Process) InImage(w *Workload, operations []Operation) Process {
	if p.Image == "" {
		return p
	}
	if len(p.Run) == 0 {
		p.Run = append([]string{"{" + ImageWord + "}"}, p.Args...)
	}
	own := slices.ContainsFunc(operations, func(o Operation) bool {
		return slices.ContainsFunc(o.Parts(), func(part Operation) bool {
			at, err := url.Parse(part.URL)
			return err == nil && at.Port() != "" && part.Owner(w.Processes).Name == p.Name
		})
	})
	if _, set := p.Env[PortVariable]; !own && !set && !UsesPort(p, w.Processes) {
		env := map[string]string{PortVariable: "{port}"}
		for name, text := range p.Env {
			env[name] = text
		}
		p.Env = env
	}
	return p
}
