package cluster

// Folders that programs in pods read and write: a container that begins before the program's fetches what the conductor has.

import (
	"fmt"

	"github.com/tracetax/tracetax/internal/run/afar"
)

const (
	fetchContainer = "tracetax-fetch"
	tokenVariable  = "TRACETAX_TOKEN"
)

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
