package kubernetes

import (
	"context"
	"fmt"
	"net/http"
)

// Right is something that a user may be allowed in a namespace.
type Right struct {
	Verb     string // create, get, list, watch, delete
	Group    string // "" is that of pods
	Resource string
	Below    string // such as log of pods; "" is the object itself
}

// String returns the right as kubectl writes it.
func (r Right) String() string {
	if r.Below != "" {
		return r.Verb + " " + r.Resource + "/" + r.Below
	}
	return r.Verb + " " + r.Resource
}

// May reports whether the user has a right in the namespace, by the API server's own rules.
func (c *Client) May(ctx context.Context, r Right) (bool, error) {
	asked := map[string]any{
		"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview",
		"spec": map[string]any{"resourceAttributes": map[string]any{
			"namespace": c.Namespace, "verb": r.Verb, "group": r.Group, "resource": r.Resource, "subresource": r.Below,
		}},
	}
	var answer struct {
		Status struct {
			Allowed bool `json:"allowed"`
		} `json:"status"`
	}
	if err := c.ask(ctx, http.MethodPost, c.base.JoinPath("apis/authorization.k8s.io/v1/selfsubjectaccessreviews"), asked, &answer); err != nil {
		return false, fmt.Errorf("asking for the right to %s in namespace %s: %w", r, c.Namespace, err)
	}
	return answer.Status.Allowed, nil
}
