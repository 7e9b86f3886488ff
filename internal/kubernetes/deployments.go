package kubernetes

import (
	"context"
	"fmt"
	"net/http"
)

// Deployments are what the user's own pods come from. They are read, and never changed.
var Deployments = Resource{"apis/apps/v1", "deployments"}

// Template is that of the pods of a Deployment, as it is written there.
type Template struct {
	Metadata struct {
		Annotations map[string]string `json:"annotations"`
	} `json:"metadata"`
	Spec map[string]any `json:"spec"`
}

// Template reads the template of a Deployment.
func (c *Client) Template(ctx context.Context, deployment string) (Template, error) {
	var of struct {
		Spec struct {
			Template Template `json:"template"`
		} `json:"spec"`
	}
	if err := c.ask(ctx, http.MethodGet, c.at(Deployments, nil, deployment), nil, &of); err != nil {
		return Template{}, fmt.Errorf("reading the template of Deployment %s in namespace %s: %w", deployment, c.Namespace, err)
	}
	return of.Spec.Template, nil
}
