// Package kubernetes owns the talk with a cluster's API: who the user is there, objects that are made, watched and removed, the
// output of pods, and the stream to one. It must not know what runs in pods, nor why.
//
// Objects are what the caller encodes; of what the API answers only the fields here are read. The types of k8s.io/api would add
// more to the program than all the rest of this package.
package kubernetes

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
)

// Client talks with the API server of a cluster as the user of a context, about one namespace.
type Client struct {
	Namespace string
	Server    string // its address

	config *rest.Config
	http   *http.Client
	base   *url.URL
}

// Open finds the cluster as kubectl does: in the files of KUBECONFIG, else ~/.kube/config, else the pod that this runs in. The
// context and the namespace "" are the current ones.
func Open(contextName, namespace string) (*Client, error) {
	loaded := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(
		clientcmd.NewDefaultClientConfigLoadingRules(), &clientcmd.ConfigOverrides{CurrentContext: contextName},
	)
	config, err := loaded.ClientConfig()
	if err != nil {
		what := "reading the configuration of Kubernetes"
		if contextName != "" {
			what += " for the context " + contextName
		}
		return nil, fmt.Errorf("%s: %w; 'kubectl config get-contexts' lists what there is", what, err)
	}
	if namespace == "" {
		if namespace, _, err = loaded.Namespace(); err != nil {
			return nil, fmt.Errorf("finding the namespace of the context: %w", err)
		}
	}
	return newClient(config, namespace)
}

func newClient(config *rest.Config, namespace string) (*Client, error) {
	// What a run asks for is little, and waits would be measured: no limit of its own.
	config.QPS, config.UserAgent = -1, "tracetax"
	klog.SetLogger(logr.Discard()) // the library also returns what it would log
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, fmt.Errorf("preparing to talk with the cluster: %w", err)
	}
	base, _, err := rest.DefaultServerUrlFor(config)
	if err != nil {
		return nil, fmt.Errorf("preparing to talk with the cluster: %w", err)
	}
	return &Client{Namespace: namespace, Server: base.String(), config: config, http: client, base: base}, nil
}

// Resource is a kind of objects of a namespace, by the path of its group.
type Resource struct {
	Group string // "api/v1", "apis/batch/v1"
	Name  string // "pods"
}

// The resources that tracetax makes.
var (
	Pods = Resource{"api/v1", "pods"}
	Jobs = Resource{"apis/batch/v1", "jobs"}
)

// StatusError is the refusal of an API server, in its own words.
type StatusError struct {
	Code    int    `json:"code"`
	Reason  string `json:"reason"` // NotFound, Forbidden, AlreadyExists …
	Message string `json:"message"`
}

func (e *StatusError) Error() string { return e.Message }

// IsNotFound reports whether there is no such object, any more or at all.
func IsNotFound(err error) bool {
	var status *StatusError
	return errors.As(err, &status) && status.Code == http.StatusNotFound
}

// IsForbidden reports whether the API server refuses an object or a right.
func IsForbidden(err error) bool {
	var status *StatusError
	return errors.As(err, &status) && status.Code == http.StatusForbidden
}

// patience bounds a request that answers at once.
const patience = 30 * time.Second

// at returns the address of a resource of the namespace, or of what lies below it.
func (c *Client) at(r Resource, query url.Values, below ...string) *url.URL {
	at := c.base.JoinPath(append([]string{r.Group, "namespaces", c.Namespace, r.Name}, below...)...)
	at.RawQuery = query.Encode()
	return at
}

// do makes a request, and returns a good answer.
func (c *Client) do(ctx context.Context, method string, at *url.URL, body any) (*http.Response, error) {
	var content io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return nil, fmt.Errorf("encoding an object: %w", err)
		}
		content = bytes.NewReader(text)
	}
	q, err := http.NewRequestWithContext(ctx, method, at.String(), content)
	if err != nil {
		return nil, err
	}
	q.Header.Set("Content-Type", "application/json")
	q.Header.Set("Accept", "application/json, */*")
	answer, err := c.http.Do(q)
	if err != nil {
		return nil, fmt.Errorf("asking the API server %s: %w", c.Server, err)
	}
	if answer.StatusCode < http.StatusBadRequest {
		return answer, nil
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, 1<<20))
	if err != nil {
		return nil, fmt.Errorf("reading the answer of the API server %s: %w", c.Server, err)
	}
	refusal := &StatusError{}
	if json.Unmarshal(text, refusal) != nil || refusal.Message == "" {
		refusal.Message = fmt.Sprintf("%s answers %s: %s", c.Server, answer.Status, strings.TrimSpace(string(text)))
	}
	refusal.Code = answer.StatusCode
	return nil, refusal
}

// ask makes a request, and decodes its answer; into may be nil.
func (c *Client) ask(ctx context.Context, method string, at *url.URL, body, into any) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	answer, err := c.do(ctx, method, at, body)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if into == nil {
		_, err = io.Copy(io.Discard, answer.Body)
		return err
	}
	if err := json.NewDecoder(answer.Body).Decode(into); err != nil {
		return fmt.Errorf("reading the answer of the API server %s: %w", c.Server, err)
	}
	return nil
}

// Create makes an object, and returns what the API server made of it.
func (c *Client) Create(ctx context.Context, r Resource, object any) (made Object, err error) {
	return made, c.create(ctx, r, nil, object, &made)
}

// Try asks whether the API server and those that it asks (webhooks) would take an object, and returns what a pod would be.
func (c *Client) Try(ctx context.Context, r Resource, object any) (made Pod, err error) {
	if r != Pods {
		return made, c.create(ctx, r, url.Values{"dryRun": {"All"}}, object, nil)
	}
	return made, c.create(ctx, r, url.Values{"dryRun": {"All"}}, object, &made)
}

func (c *Client) create(ctx context.Context, r Resource, query url.Values, object, made any) error {
	if err := c.ask(ctx, http.MethodPost, c.at(r, query), object, made); err != nil {
		return fmt.Errorf("creating one of %s in namespace %s: %w", r.Name, c.Namespace, c.advised(err))
	}
	return nil
}

// Delete removes an object, and what it owns after it. Its programs get a time to end; a negative one is their own. One that is
// not there is no error.
func (c *Client) Delete(ctx context.Context, r Resource, name string, grace time.Duration) error {
	options := map[string]any{"kind": "DeleteOptions", "apiVersion": "v1", "propagationPolicy": "Background"}
	if grace >= 0 {
		options["gracePeriodSeconds"] = int64((grace + time.Second - 1) / time.Second)
	}
	err := c.ask(ctx, http.MethodDelete, c.at(r, nil, name), options, nil)
	if err != nil && !IsNotFound(err) {
		return fmt.Errorf("deleting %s of %s in namespace %s: %w", name, r.Name, c.Namespace, err)
	}
	return nil
}

// Output follows what a container of a pod writes, from its beginning to its end.
func (c *Client) Output(ctx context.Context, pod, container string) (io.ReadCloser, error) {
	answer, err := c.do(ctx, http.MethodGet, c.at(Pods, url.Values{"container": {container}, "follow": {"true"}}, pod, "log"), nil)
	if err != nil {
		return nil, fmt.Errorf("reading what pod %s writes: %w", pod, err)
	}
	return answer.Body, nil
}
