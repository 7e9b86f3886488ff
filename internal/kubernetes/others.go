package kubernetes

// What others say and do about pods and what they come from, as far as the user may see it.

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
)

var (
	events  = Resource{"api/v1", "events"}
	scalers = Resource{"apis/autoscaling/v2", "horizontalpodautoscalers"}
)

// Warning is what the cluster warns of.
type Warning struct {
	Reason  string `json:"reason"` // FailedMount, FailedAttachVolume …
	Message string `json:"message"`
	Last    string `json:"lastTimestamp"` // as RFC 3339, in UTC
}

// Warned returns the last warning about a pod; nothing where there is none, or the user may not read events.
func (c *Client) Warned(ctx context.Context, pod string) (last Warning, err error) {
	var all struct {
		Items []Warning `json:"items"`
	}
	query := url.Values{"fieldSelector": {"type=Warning,involvedObject.kind=Pod,involvedObject.name=" + pod}}
	err = c.ask(ctx, http.MethodGet, c.at(events, query), nil, &all)
	if IsForbidden(err) {
		return last, nil
	}
	if err != nil {
		return last, fmt.Errorf("reading what the cluster warns of pod %s: %w", pod, err)
	}
	for _, one := range all.Items {
		if one.Last >= last.Last {
			last = one
		}
	}
	return last, nil
}

// Scaler is a HorizontalPodAutoscaler.
type Scaler struct {
	Object
	Spec struct {
		Of struct {
			Kind string `json:"kind"`
			Name string `json:"name"`
		} `json:"scaleTargetRef"`
		Most int `json:"maxReplicas"`
	} `json:"spec"`
}

// Scalers lists the HorizontalPodAutoscalers of what Templated knows; none where the user may not list them.
func (c *Client) Scalers(ctx context.Context, of string) (found []Scaler, err error) {
	r, name := Templated(of)
	kind := map[Resource]string{Deployments: "Deployment", StatefulSets: "StatefulSet"}[r]
	if kind == "" {
		return nil, nil // a pod is scaled by nothing
	}
	var all struct {
		Items []Scaler `json:"items"`
	}
	err = c.ask(ctx, http.MethodGet, c.at(scalers, nil), nil, &all)
	if IsForbidden(err) || IsNotFound(err) { // clusters before 1.23 have none of this version
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading what scales %s: %w", of, err)
	}
	for _, one := range all.Items {
		if one.Spec.Of.Kind == kind && one.Spec.Of.Name == name {
			found = append(found, one)
		}
	}
	return found, nil
}
