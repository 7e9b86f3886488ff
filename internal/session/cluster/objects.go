package cluster

// The objects of a run, as the API takes them.

import (
	"fmt"
	"maps"
	"strconv"
	"strings"
	"time"

	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/run/afar"
)

// object is a mapping of the API.
type object = map[string]any

// The labels of all objects, and the containers of pods.
const (
	labelOf   = program.LabelOf
	labelRun  = program.OwnMarks + "run"
	labelPart = program.OwnMarks + "part"

	partHarness = "harness"
	partMeter   = "meter"
	partLoad    = "load"
	partApp     = "app"

	harnessContainer = "tracetax"
	appContainer     = "app"

	meterPort = 7411
)

// names are what the objects of one session have in common.
type names struct {
	id    string // of the session, in all names and labels
	image string // of tracetax
	owner string // UID of the Job; "" of the Job itself

	beside bool   // each pod of a program has a meter of its own
	token  string // by which that knows the conductor
}

func (n names) job() string { return "tracetax-" + n.id }

func (n names) metadata(name, part string) object {
	m := object{"name": name, "labels": n.labels(part)}
	if n.owner != "" {
		m["ownerReferences"] = []object{{"apiVersion": "batch/v1", "kind": "Job", "name": n.job(), "uid": n.owner}}
	}
	return m
}

func (n names) labels(part string) object {
	return object{labelOf: "tracetax", labelRun: n.id, labelPart: part}
}

// restricted is what PodSecurity "restricted" asks of a container.
func restricted() object {
	return object{"allowPrivilegeEscalation": false, "readOnlyRootFilesystem": true, "capabilities": object{"drop": []string{"ALL"}}}
}

// ownUser is the user of the image of tracetax.
const ownUser = 65532

// unprivileged is what it asks of a pod.
func unprivileged() object {
	return object{"runAsNonRoot": true, "runAsUser": ownUser, "runAsGroup": ownUser, "seccompProfile": object{"type": "RuntimeDefault"}}
}

// onNode binds a pod to a node, by its scheduler: nodeName would pass over what the node has room for. "" is any node.
func onNode(node string) object {
	if node == "" {
		return object{}
	}
	term := object{"matchFields": []object{{"key": "metadata.name", "operator": "In", "values": []string{node}}}}
	return object{"nodeAffinity": object{"requiredDuringSchedulingIgnoredDuringExecution": object{"nodeSelectorTerms": []object{term}}}}
}

// fieldEnv is a variable that the kubelet fills in.
func fieldEnv(name, field string) object {
	return object{"name": name, "valueFrom": object{"fieldRef": object{"fieldPath": field}}}
}

// harnessJob is the Job that owns everything: its pod conducts the runs. When its program ends, for want of a client too, the Job
// is removed, and what it owns with it.
func harnessJob(n names, node string, longest time.Duration) object {
	size := object{"cpu": "1", "memory": "512Mi"} // requests equal limits: nothing but the load decides what it gets
	spec := object{
		"restartPolicy": "Never", "automountServiceAccountToken": false, "enableServiceLinks": false,
		"terminationGracePeriodSeconds": 30, "securityContext": unprivileged(),
		"containers": []object{{
			"name": harnessContainer, "image": n.image, "args": []string{"agent", "conduct", "--address", "$(POD_IP)"},
			"stdin": true, "stdinOnce": true, "securityContext": restricted(), "resources": object{"requests": size, "limits": size},
			"env":          []object{fieldEnv("POD_IP", "status.podIP")},
			"volumeMounts": []object{{"name": "tmp", "mountPath": "/tmp"}},
		}},
		"volumes": []object{{"name": "tmp", "emptyDir": object{}}},
	}
	spec["affinity"] = onNode(node)
	return object{
		"apiVersion": "batch/v1", "kind": "Job", "metadata": n.metadata(n.job(), partHarness),
		"spec": object{
			"backoffLimit": 0, "ttlSecondsAfterFinished": 0, "activeDeadlineSeconds": int64(longest / time.Second),
			"template": object{"metadata": object{"labels": n.labels(partHarness)}, "spec": spec},
		},
	}
}

// podOf is a pod as a Job makes it: what refuses that stands in the Job's events alone, so it is tried before.
func podOf(job object) object {
	template := job["spec"].(object)["template"].(object)
	metadata := maps.Clone(template["metadata"].(object))
	metadata["generateName"] = job["metadata"].(object)["name"].(string) + "-"
	return object{"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": template["spec"]}
}

// meterPod is the meter of a node: it reads the node's cgroups, without a privilege.
func meterPod(n names, node, token string) object {
	return object{
		"apiVersion": "v1", "kind": "Pod", "metadata": n.metadata(n.job()+"-meter", partMeter),
		"spec": object{
			"restartPolicy": "Never", "automountServiceAccountToken": false, "enableServiceLinks": false,
			"terminationGracePeriodSeconds": 1, "securityContext": unprivileged(), "affinity": onNode(node),
			"containers": []object{{
				"name": harnessContainer, "image": n.image, "args": []string{"agent", "meter", "--listen", ":" + strconv.Itoa(meterPort), "--cgroups", "/node/cgroup"},
				"securityContext": restricted(), "env": []object{{"name": tokenVariable, "value": token}},
				"volumeMounts": []object{{"name": "cgroup", "mountPath": "/node/cgroup", "readOnly": true}},
			}},
			"volumes": []object{{"name": "cgroup", "hostPath": object{"path": "/sys/fs/cgroup", "type": "Directory"}}},
		},
	}
}

// appPod is the pod of a program under test that has an image of its own.
func appPod(n names, node string, p afar.Pod) object {
	main := appContainerOf(p)
	spec := object{
		"restartPolicy": "Never", "automountServiceAccountToken": false, "enableServiceLinks": false, "affinity": onNode(node),
		"terminationGracePeriodSeconds": 15, "containers": []any{main},
	}
	withFolders(n, spec, main, p)
	withMeter(n, spec)
	return object{"apiVersion": "v1", "kind": "Pod", "metadata": appMetadata(n, p), "spec": spec}
}

func appMetadata(n names, p afar.Pod) object {
	metadata := n.metadata(podName(n, p.ID), partApp)
	metadata["labels"] = marks(p.Labels, n.labels(partApp))
	own := object{program.OwnMarks + "run": p.Run, program.OwnMarks + "process": p.Name}
	maps.Copy(own, injection(p))
	metadata["annotations"] = marks(p.Annotations, own)
	return metadata
}

// marks returns labels or annotations that are given, and tracetax's own, which win.
func marks(given map[string]string, own object) object {
	out := object{}
	for name, value := range given {
		out[name] = value
	}
	maps.Copy(out, own)
	return out
}

// appContainerOf is the container of a program.
func appContainerOf(p afar.Pod) object {
	container := object{"name": appContainer, "image": p.Image, "resources": sizes(p)}
	literal := make([]string, len(p.Args))
	for i, text := range p.Args {
		literal[i] = asWritten(text)
	}
	if p.Own {
		container["args"] = literal
	} else {
		container["command"] = literal
	}
	if p.Dir != "" {
		container["workingDir"] = p.Dir
	}
	var env []object
	for _, pair := range p.Env {
		name, value, _ := strings.Cut(pair, "=")
		env = append(env, object{"name": name, "value": asWritten(value)})
	}
	container["env"] = env
	return container
}

// asWritten returns a text in which the kubelet fills in nothing: all has been filled in.
func asWritten(text string) string { return strings.ReplaceAll(text, "$(", "$$(") }

func podName(n names, id uint64) string { return fmt.Sprintf("%s-%d", n.job(), id) }

// sizes are the limits of a program, which it also requests.
func sizes(p afar.Pod) object {
	limits := object{}
	if p.CPUs > 0 {
		limits["cpu"] = fmt.Sprintf("%dm", int(p.CPUs*1000+0.5))
	}
	if p.Memory > 0 {
		limits["memory"] = strconv.FormatInt(p.Memory, 10)
	}
	if len(limits) == 0 {
		return object{}
	}
	return object{"limits": limits, "requests": maps.Clone(limits)}
}
