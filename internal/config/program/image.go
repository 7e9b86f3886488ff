// A process in a container: the keys of its image, and what goes with them.

package program

import "strings"

// ImageWord is the placeholder of the command of a process whose image has one: a run puts the image's own words in its place.
const ImageWord = "image"

// PortVariable is the variable that tells a program in an image its port, where nothing else does.
const PortVariable = "PORT"

// deployed checks the keys of a process of a Deployment.
func (s *Source) deployed(n *Node) {
	of := n.Get("deployment")
	for _, key := range []string{"container", "port"} {
		if at := n.Get(key); at != nil && of == nil && n.Get("manifests") == nil {
			s.Fail(at.At, "%s goes with deployment: or manifests:, and this process has none", key)
		}
	}
	if of == nil {
		return
	}
	if kind, _, named := strings.Cut(of.Text, "/"); named && kind != "deployment" && kind != "statefulset" && kind != "pod" {
		s.Fail(of.At, "deployment: %q has no template of pods: write the NAME of a Deployment, statefulset/NAME or pod/NAME", Printable(of.Text))
	}
	if n.Get("service") != nil {
		s.Fail(of.At, "a service is a program of this machine; leave one of deployment and service out")
	}
}

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
func (s *Source) imaged(n *Node) {
	s.deployed(n)
	image := n.Get("image")
	if image == nil && n.Get("deployment") != nil {
		return
	}
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
