package cluster

import (
	"maps"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/run/afar"
)

// The image of a name stays the same in a session, and is told of each run.
func TestImagesOfPods(t *testing.T) {
	p := &pods{apps: map[string]*app{
		"a": {image: "shop@sha256:1", wanted: afar.Pod{Run: "001-none-1", Name: "shop", Deployment: "shop"}},
		"b": {image: "sha256:2", wanted: afar.Pod{Run: "001-ours-1", Name: "shop", Deployment: "shop", Image: "shop:traced"}},
		"c": {wanted: afar.Pod{Run: "001-none-1", Name: "waits", Deployment: "shop"}},
	}}
	if got := p.images("001-none-1"); !maps.Equal(got, map[string]string{"shop": "shop@sha256:1"}) {
		t.Errorf("the images of a run are %v", got)
	}
	for name, row := range map[string]struct {
		wanted afar.Pod
		image  string
		moved  bool
	}{
		"the same, by its digest alone": {afar.Pod{Deployment: "shop"}, "sha256:1", false},
		"not told":                      {afar.Pod{Deployment: "shop"}, "", false},
		"another":                       {afar.Pod{Deployment: "shop"}, "shop@sha256:3", true},
		"of another container":          {afar.Pod{Deployment: "shop", Container: "web"}, "web@sha256:3", false},
		"a variant's own":               {afar.Pod{Deployment: "shop", Image: "shop:traced"}, "sha256:2", false},
		"a variant's own, and another":  {afar.Pod{Deployment: "shop", Image: "shop:traced"}, "sha256:1", true},
	} {
		if why := p.moved(&app{wanted: row.wanted}, row.image); (why != "") != row.moved || row.moved && !strings.Contains(why, row.image) {
			t.Errorf("%s: %q", name, why)
		}
	}
}
