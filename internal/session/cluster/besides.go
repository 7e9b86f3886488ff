package cluster

// What the pods of programs have besides their own: a container before the program's that fetches folders from the conductor, and one
// beside it that reads what it uses.

import (
	"fmt"
	"maps"
	"strconv"

	"github.com/tracetax/tracetax/internal/run/afar"
)

// ownContainers begins the names of tracetax's containers in pods of programs. One fetches, the other reads the program beside it.
const (
	ownContainers  = "tracetax-"
	fetchContainer = ownContainers + "fetch"
	meterContainer = ownContainers + "meter"
	tokenVariable  = "TRACETAX_TOKEN"
)

// withMeter gives a pod a container that reads the others: it begins before them, and sees their processes, as they see its.
func withMeter(n names, spec object) {
	if !n.beside {
		return
	}
	security := restricted()
	maps.Copy(security, object{"runAsNonRoot": true, "runAsUser": userOf(spec), "seccompProfile": object{"type": "RuntimeDefault"}})
	spec["shareProcessNamespace"] = true
	spec["initContainers"] = append([]any{object{
		"name": meterContainer, "image": n.image, "args": []string{"agent", "meter", "--beside", "--listen", ":" + strconv.Itoa(meterPort)},
		"restartPolicy": "Always", "env": []object{{"name": tokenVariable, "value": n.token}}, "securityContext": security,
	}}, listed(spec["initContainers"])...)
}

// userOf returns the user of a pod's program, which may look into its own cgroup; tracetax's own where that is root, or not known.
func userOf(spec object) int {
	user := ownUser
	for _, of := range append([]object{spec}, containers(spec, "containers")...) {
		security, _ := of["securityContext"].(object)
		if named, is := security["runAsUser"].(float64); is && named > 0 {
			user = int(named)
		}
	}
	return user
}

// withFolders gives a pod's spec the folders that its program, main, reads and writes.
func withFolders(n names, spec, main object, p afar.Pod) {
	var volumes, mounts, first []any
	add := func(name, dir string, read bool) {
		volumes = append(volumes, object{"name": name, "emptyDir": object{}})
		mounts = append(mounts, object{"name": name, "mountPath": dir, "readOnly": read})
	}
	for i, dir := range p.Empty {
		add(fmt.Sprintf("tracetax-%d", i), dir, false)
	}
	if f := p.Fetch; f != nil {
		add(fetchContainer, f.Dir, true)
		security := restricted()
		security["runAsNonRoot"], security["runAsUser"] = true, ownUser
		first = append(first, object{
			"name": fetchContainer, "image": n.image, "args": []string{"agent", "fetch", "--url", f.URL, f.Dir},
			"env": []object{{"name": tokenVariable, "value": f.Token}}, "securityContext": security,
			"terminationMessagePolicy": "FallbackToLogsOnError",
			"resources":                main["resources"], // of the same size: the pod asks for no more than without it
			"volumeMounts":             []object{{"name": fetchContainer, "mountPath": f.Dir}},
		})
	}
	if len(volumes) == 0 {
		return
	}
	spec["volumes"] = append(listed(spec["volumes"]), volumes...)
	main["volumeMounts"] = append(listed(main["volumeMounts"]), mounts...)
	if len(first) > 0 {
		spec["initContainers"] = append(first, listed(spec["initContainers"])...)
	}
}

// listed returns a list of an object.
func listed(of any) []any {
	all, _ := of.([]any)
	return all
}
