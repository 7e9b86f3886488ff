package kubernetes

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// What the user's own pods come from. They are read, and never changed.
var (
	Deployments  = Resource{"apis/apps/v1", "deployments"}
	StatefulSets = Resource{"apis/apps/v1", "statefulsets"}
)

// Template is that of the pods of a Deployment or a StatefulSet, as it is written there, or a pod.
type Template struct {
	Metadata struct {
		Annotations map[string]string `json:"annotations"`
	} `json:"metadata"`
	Spec   map[string]any `json:"spec"`
	Claims []Object       `json:"-"` // volumes of a StatefulSet's pods that each has for itself
}

// Templated returns the resource and the name of what has a template: NAME of a Deployment, statefulset/NAME or pod/NAME.
func Templated(of string) (Resource, string) {
	kind, name, named := strings.Cut(of, "/")
	switch {
	case !named:
		return Deployments, of
	case kind == "statefulset":
		return StatefulSets, name
	case kind == "pod":
		return Pods, name
	}
	return Deployments, name
}

// Reads is the right to read what a template is of.
func Reads(of string) Right {
	r, _ := Templated(of)
	return Right{Verb: "get", Group: strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(r.Group, "api/v1"), "apis/"), "/v1"), Resource: r.Name}
}

// Template reads the template of what Templated knows.
func (c *Client) Template(ctx context.Context, of string) (t Template, err error) {
	r, name := Templated(of)
	failed := func(err error) (Template, error) {
		if IsNotFound(err) {
			err = fmt.Errorf("%w; 'kubectl -n %s get %s' lists what there is; of another namespace take a file "+
				"('kubectl -n OTHER get %s %s -o yaml >shop.yaml') and name that (--manifests shop.yaml)", err, c.Namespace, r.Name, r.Name, name)
		}
		return Template{}, fmt.Errorf("reading %s of %s in namespace %s: %w", name, r.Name, c.Namespace, err)
	}
	var whole json.RawMessage
	if err := c.ask(ctx, http.MethodGet, c.at(r, nil, name), nil, &whole); err != nil {
		return failed(err)
	}
	if t, err = TemplateOf(of, whole); err != nil {
		return failed(err)
	}
	return t, nil
}

// TemplateOf returns the template of what Templated knows, which the API or a file has as JSON.
func TemplateOf(of string, whole []byte) (t Template, err error) {
	if r, _ := Templated(of); r == Pods {
		return t, json.Unmarshal(whole, &t)
	}
	var set struct {
		Spec struct {
			Template Template `json:"template"`
			Claims   []Object `json:"volumeClaimTemplates"`
		} `json:"spec"`
	}
	err = json.Unmarshal(whole, &set)
	t = set.Spec.Template
	t.Claims = set.Spec.Claims
	return t, err
}
