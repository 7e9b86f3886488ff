package cluster

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/kubernetes"
)

// The conductor chooses a node on which the pods of templates may be, unless the user named one; the meter bears its taints.
func TestStanding(t *testing.T) {
	const (
		bench  = `{"nodeSelector": {"pool": "bench"}, "tolerations": [{"key": "pool", "operator": "Exists"}]}`
		zoned  = `{"nodeSelector": {"zone": "b"}, "affinity": {"nodeAffinity": {"of": "zoned"}, "podAntiAffinity": {"of": "zoned"}}}`
		named  = `{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchFields":[{"key":"metadata.name","operator":"In","values":["n1"]}]}]}}}`
		bears  = `[{"key":"pool","operator":"Exists"}]`
		absent = "null"
	)
	for name, row := range map[string]struct {
		templates                     map[string]string
		target                        config.Kubernetes
		selector, tolerations, affine string // of the conductor
	}{
		"of no template":          {nil, config.Kubernetes{}, absent, absent, `{}`},
		"of one that says naught": {map[string]string{"shop": `{}`}, config.Kubernetes{}, absent, absent, `{}`},
		"of a pool":               {map[string]string{"shop": bench}, config.Kubernetes{}, `{"pool":"bench"}`, bears, `{}`},
		"of two": {map[string]string{"shop": bench, "front": zoned}, config.Kubernetes{}, `{"pool":"bench","zone":"b"}`, bears,
			`{"nodeAffinity":{"of":"zoned"}}`},
		"of a zone, on a node by its name": {map[string]string{"front": zoned}, config.Kubernetes{Node: "n1"}, `{"zone":"b"}`, absent, named},
		"of a pool, and nodes of a kind": {map[string]string{"shop": bench}, config.Kubernetes{Selector: map[string]string{"disk": "ssd", "pool": "other"}},
			`{"disk":"ssd","pool":"bench"}`, bears, `{}`},
	} {
		t.Run(name, func(t *testing.T) {
			templates := map[string]kubernetes.Template{}
			for of, spec := range row.templates {
				var one kubernetes.Template
				if err := json.Unmarshal([]byte(spec), &one.Spec); err != nil {
					t.Fatal(err)
				}
				templates[of] = one
			}
			o := Options{Target: row.target, standing: standingOf(templates)}
			spec := o.placed(harnessJob(names{}, row.target.Node, time.Hour))["spec"].(object)["template"].(object)["spec"].(object)
			metered := o.metering(names{}, "n1", "secret")["spec"].(object)
			for _, one := range []struct {
				what, want string
				is         any
			}{
				{"nodes", row.selector, spec["nodeSelector"]}, {"taints", row.tolerations, spec["tolerations"]}, {"place", row.affine, spec["affinity"]},
				{"meter's taints", row.tolerations, metered["tolerations"]}, {"meter's place", named, metered["affinity"]},
			} {
				if is, err := json.Marshal(one.is); err != nil || string(is) != one.want {
					t.Errorf("%s: %s (%v), want %s", one.what, is, err, one.want)
				}
			}
		})
	}
}
