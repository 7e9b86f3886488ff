package cluster

// Containers of a template beside its program, such as a mesh's proxy: they are charged, too.

import (
	"fmt"
	"strings"

	"github.com/tracetax/tracetax/internal/kubernetes"
	"github.com/tracetax/tracetax/internal/run/afar"
)

// sidecars returns the containers that run beside the program of a pod; all is false as long as one of them has not begun.
func sidecars(pod kubernetes.Pod, in string) (out []afar.Sidecar, all bool) {
	all = true
	for _, s := range pod.Beside(in) {
		switch {
		case strings.HasPrefix(s.Name, ownContainers): // it is not the program's
		case s.State.Running != nil:
			out = append(out, afar.Sidecar{Name: s.Name, Container: s.ID()})
		case s.State.Terminated == nil:
			all = false
		}
	}
	return out, all
}

// lost returns why a pod is not what it was when its program began: a container beside it has failed, or is another one; "" if it is.
func lost(pod kubernetes.Pod, in string, began []afar.Sidecar) string {
	now := map[string]kubernetes.ContainerStatus{}
	for _, s := range pod.Beside(in) {
		now[s.Name] = s
	}
	for _, one := range began {
		s := now[one.Name]
		switch t := s.State.Terminated; {
		case t != nil && t.ExitCode != 0:
			return fmt.Sprintf("its container %s, beside the program, has ended (%s, status %d)", one.Name, t.Reason, t.ExitCode)
		case s.ID() != one.Container && s.ContainerID != "":
			return fmt.Sprintf("its container %s, beside the program, ended and was started again", one.Name)
		}
	}
	return ""
}
