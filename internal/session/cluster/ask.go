package cluster

// Questions to the Python of an image that only the nodes of a cluster have.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/kubernetes"
	"github.com/tracetax/tracetax/internal/run/afar"
)

const (
	partQuestion   = "question"
	answerPath     = "/dev/termination-log"
	answerPatience = 3 * time.Minute // its image may have to be pulled
	answerMost     = 4096            // bytes that the kubelet keeps of an answer
)

// AskPython runs a program of Python in a pod as a process would have it, and returns what it prints. Nothing is left.
func AskPython(ctx context.Context, target config.Kubernetes, p program.Process, text string) (answer string, err error) {
	api, err := kubernetes.Open(target.Context, target.Namespace)
	if err != nil {
		return "", err
	}
	of := names{id: random(4)}
	job, in, err := question(ctx, api, of, placeOf(target, 0).Node, p, text)
	if err != nil {
		return "", err
	}
	if _, err := api.Create(ctx, kubernetes.Jobs, job); err != nil {
		return "", fmt.Errorf("asking the image of process %s for its Python: %w", p.Name, err)
	}
	defer func() {
		after, cancel := context.WithTimeout(context.WithoutCancel(ctx), endPatience)
		defer cancel()
		err = errors.Join(err, api.Delete(after, kubernetes.Jobs, of.job(), 0))
	}()
	within, done := context.WithTimeout(ctx, answerPatience)
	defer done()
	last, found := "no pod has begun", false
	err = api.Follow(within, labelRun+"="+of.id, awayPatience, func(e kubernetes.Event) {
		if found {
			return
		}
		answer, last, found = answered(e, in)
		if found {
			done()
		}
	})
	switch {
	case found && last == "":
		return answer, nil
	case found || ctx.Err() == nil && within.Err() != nil:
		err = errors.New(last)
	}
	return "", fmt.Errorf("asking the image of process %s for its Python: %w", p.Name, err)
}

// answered reads an answer off a pod; why is what there is instead of one, as far as it is known.
func answered(e kubernetes.Event, in string) (answer, why string, found bool) {
	if why := cmp.Or(e.Pod.Stuck(), e.Pod.Unplaced()); why != "" {
		return "", why, e.Pod.Stuck() != ""
	}
	s := e.Pod.Container(in)
	if s == nil || s.State.Terminated == nil {
		return "", fmt.Sprintf("pod %s is %s", e.Pod.Metadata.Name, e.Pod.Status.Phase), e.Gone
	}
	switch t := s.State.Terminated; {
	case t.ExitCode != 0:
		return "", fmt.Sprintf("python3 ended with status %d: %s", t.ExitCode, strings.TrimSpace(t.Message)), true
	case len(t.Message) >= answerMost:
		return "", fmt.Sprintf("its answer is longer than the %d bytes that a node keeps", answerMost), true
	default:
		return t.Message, "", true
	}
}

// question is a Job whose pod answers by the last words of a container, which need no right to read logs.
func question(ctx context.Context, api *kubernetes.Client, of names, node string, p program.Process, text string) (job object, in string, err error) {
	wanted := afar.Pod{Name: p.Name, Image: p.Image, Deployment: p.Deployed, Container: p.Within, Args: []string{
		"python3", "-c", "import sys\nsys.stdout = open('" + answerPath + "', 'w')\n" + text,
	}}
	pod, in := appPod(of, node, wanted), appContainer
	if p.Deployed != "" {
		template, err := templateOf(ctx, func() (*kubernetes.Client, error) { return api, nil }, p)
		if err != nil {
			return nil, "", err
		}
		if pod, in, err = fromTemplate(of, node, wanted, template); err != nil {
			return nil, "", err
		}
	}
	spec := pod["spec"].(object)
	main, err := mainOf(spec, in)
	if err != nil {
		return nil, "", err
	}
	main["terminationMessagePath"], main["terminationMessagePolicy"] = answerPath, "FallbackToLogsOnError"
	delete(main, "args")
	return object{
		"apiVersion": "batch/v1", "kind": "Job", "metadata": of.metadata(of.job(), partQuestion),
		"spec": object{
			"backoffLimit": 0, "ttlSecondsAfterFinished": 60, "activeDeadlineSeconds": int64(answerPatience / time.Second),
			"template": object{"metadata": object{"labels": of.labels(partQuestion)}, "spec": spec},
		},
	}, in, nil
}
