package cluster

// The images that nodes run. A name may lead to another image a while later; all runs of a session are of one.

import (
	"fmt"
	"strings"

	"github.com/tracetax/tracetax/internal/run/afar"
)

// images returns what the programs of a run were, by process.
func (p *pods) images(run string) map[string]string {
	out := map[string]string{}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, one := range p.apps {
		if one.wanted.Run == run && one.image != "" {
			out[one.wanted.Name] = one.image
		}
	}
	return out
}

// moved returns why a pod is of another image than those of the same name were before; "" if it is not.
func (p *pods) moved(of *app, image string) string {
	if image == "" {
		return "" // not told yet
	}
	named := func(p afar.Pod) [3]string { return [3]string{p.Image, p.Deployment, p.Container} }
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, one := range p.apps {
		if named(one.wanted) == named(of.wanted) && one.image != "" && digestOf(one.image) != digestOf(image) {
			return fmt.Sprintf("its image is %s, and was %s in an earlier run: the name leads to another one now; name it by its digest, and begin anew",
				image, one.image)
		}
	}
	return ""
}

// digestOf returns the digest of an image, as REPOSITORY@DIGEST and the digest alone have it.
func digestOf(image string) string { return image[strings.LastIndex(image, "@")+1:] }
