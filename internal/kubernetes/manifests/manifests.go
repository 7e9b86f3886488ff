// Package manifests owns files of objects for a cluster: it finds what has a template of pods in one, as kubectl would read it. It must
// not know a cluster, nor what becomes of the pods.
package manifests

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/yaml"
)

// object is a mapping of a file.
type object = map[string]any

// Found is what has a template of pods.
type Found struct {
	Of      string   // deployment/NAME, statefulset/NAME or pod/NAME
	Text    string   // the object as JSON in several lines, with what its pods come from alone; Find finds the same in it
	Ignored []string // what else is in the file, such as Service shop
}

// kinds are those that have a template, by what Found.Of calls them.
var kinds = map[string]string{"Deployment": "deployment", "StatefulSet": "statefulset", "Pod": "pod"}

// ignored is the key of Found.Text under which Found.Ignored stands.
const ignored = "ignored"

// Find finds what has a template in the text of a file: what of names (NAME of a Deployment, statefulset/NAME or pod/NAME), or the only
// one if of is "". The text has to be what kubectl applies: an error names what a tool would still have to put in.
func Find(text []byte, of string) (Found, error) {
	all, err := read(text)
	if err != nil {
		return Found{}, err
	}
	var there []string // what has a template
	for _, one := range all {
		if ref := refer(one); ref != "" {
			there = append(there, ref)
		}
	}
	at, err := choose(there, of)
	if err != nil {
		var names []string
		for _, one := range all {
			names = append(names, name(one))
		}
		return Found{}, fmt.Errorf("%w; in the file there is %s", err, cmp.Or(strings.Join(names, ", "), "nothing"))
	}
	f := Found{Of: at}
	var chosen object
	for _, one := range all {
		if chosen == nil && refer(one) == at {
			chosen = one
			continue
		}
		f.Ignored = append(f.Ignored, name(one))
	}
	before, _ := chosen[ignored].([]any)
	for _, one := range before {
		f.Ignored = append(f.Ignored, fmt.Sprint(one))
	}
	kept, err := trimmed(chosen)
	if err != nil {
		return Found{}, fmt.Errorf("%s: %w", name(chosen), err)
	}
	if len(f.Ignored) > 0 {
		kept[ignored] = f.Ignored
	}
	f.Text, err = encoded(kept)
	return f, err
}

// choose returns which of those that have a template is meant.
func choose(there []string, of string) (string, error) {
	meant := there
	if of != "" {
		meant = nil
		for _, ref := range there {
			if ref == of || ref == "deployment/"+of {
				return ref, nil
			}
			if strings.HasSuffix(ref, "/"+of) && !strings.Contains(of, "/") {
				meant = append(meant, ref)
			}
		}
	}
	switch {
	case len(meant) == 1:
		return meant[0], nil
	case len(meant) > 1:
		return "", fmt.Errorf("several have pods: say which with deployment: %s", strings.Join(meant, ", or "))
	case of != "":
		return "", fmt.Errorf("no %s has pods", of)
	}
	return "", errors.New("no Deployment, StatefulSet or Pod has pods")
}

// read reads the objects of all documents, those of lists one by one.
func read(text []byte) (all []object, err error) {
	reader := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(bytes.TrimPrefix(text, []byte("\ufeff")))))
	for number := 1; ; number++ {
		document, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		var one object
		if err == nil {
			one, err = decoded(document)
		}
		if err != nil {
			return nil, fmt.Errorf("document %d: %w%s", number, err, hint(document))
		}
		objects := []any{one}
		if one["kind"] == "List" {
			objects, _ = one["items"].([]any)
		}
		for _, item := range objects {
			one, is := item.(object)
			switch kind, _ := one["kind"].(string); {
			case is && one == nil: // comments alone
			case kind == "" || named(one) == "":
				return nil, fmt.Errorf("document %d is no object of a cluster: it has no kind, or no metadata: {name: …}", number)
			default:
				all = append(all, one)
			}
		}
	}
}

// decoded returns the object of a document; nil if it has comments alone.
func decoded(document []byte) (object, error) {
	var v any
	if err := yaml.Unmarshal(document, &v); err != nil {
		return nil, err
	}
	one, is := v.(object)
	if v != nil && !is {
		return nil, errors.New("it is no mapping")
	}
	return one, nil
}

// Render is what to do with templates of manifests.
const Render = "nothing is filled in here: render it first ('helm template …', 'kustomize build', envsubst), and name what comes of it"

// hint is said of a text that is not YAML because a tool would have to make it so.
func hint(document []byte) string {
	if bytes.Contains(document, []byte("{{")) {
		return "; it looks like a template of Helm or the like, and " + Render
	}
	return ""
}

func named(of object) string {
	metadata, _ := of["metadata"].(object)
	name, _ := metadata["name"].(string)
	return name
}

// name is an object in words.
func name(of object) string { return fmt.Sprintf("%v %s", of["kind"], named(of)) }

// refer returns what Found.Of calls an object; "" if it has no template.
func refer(of object) string {
	kind, _ := of["kind"].(string)
	if kinds[kind] == "" {
		return ""
	}
	return kinds[kind] + "/" + named(of)
}

// pods are the parts of a template that have to be there.
type pods struct {
	Metadata struct {
		Annotations map[string]string `json:"annotations"`
	} `json:"metadata"`
	Spec struct {
		Containers []struct {
			Name string `json:"name"`
		} `json:"containers"`
	} `json:"spec"`
}

// applied is what kubectl leaves: the whole object as it was applied.
const applied = "kubectl.kubernetes.io/last-applied-configuration"

// trimmed returns what the pods of an object come from, and fails if that is not what a cluster would take.
func trimmed(of object) (object, error) {
	metadata := object{"name": named(of)}
	spec, _ := of["spec"].(object)
	var template any
	if of["kind"] == "Pod" {
		theirs, _ := of["metadata"].(object)
		if annotations, is := theirs["annotations"].(object); is {
			metadata["annotations"] = annotations
			maps.DeleteFunc(annotations, func(name string, _ any) bool { return name == applied })
		}
		template = object{"metadata": metadata, "spec": spec}
	} else {
		template = spec["template"]
		spec = object{"template": template}
		if all, _ := of["spec"].(object); all["volumeClaimTemplates"] != nil {
			spec["volumeClaimTemplates"] = all["volumeClaimTemplates"]
		}
	}
	kept := object{"apiVersion": of["apiVersion"], "kind": of["kind"], "metadata": metadata, "spec": spec}
	text, err := json.Marshal(template)
	if err != nil {
		return nil, err
	}
	var shape pods
	if err := json.Unmarshal(text, &shape); err != nil {
		return nil, fmt.Errorf("its template of pods: %w", err)
	}
	if len(shape.Spec.Containers) == 0 {
		return nil, errors.New("its template of pods has no container")
	}
	if at, what := unrendered("", "", kept); what != "" {
		return nil, fmt.Errorf("%s is %q, and %s", strings.TrimPrefix(at, "."), what, Render)
	}
	return kept, nil
}

// unrendered returns a text in which a tool would still have to fill something in, and where it stands. The words of a command may be a
// script, which has the same marks.
func unrendered(at, key string, v any) (where, text string) {
	switch v := v.(type) {
	case object:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if where, text := unrendered(at+"."+key, key, v[key]); text != "" {
				return where, text
			}
		}
	case []any:
		if key == "command" || key == "args" {
			return "", ""
		}
		for i, one := range v {
			if where, text := unrendered(fmt.Sprintf("%s[%d]", at, i), key, one); text != "" {
				return where, text
			}
		}
	case string:
		left := strings.ReplaceAll(v, "${env:", "")
		if strings.Contains(left, "{{") || strings.Contains(left, "${") || key == "image" && strings.ContainsAny(left, "$ ") {
			return at, v
		}
	}
	return "", ""
}

func encoded(of object) (string, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(of); err != nil {
		return "", fmt.Errorf("encoding %s: %w", name(of), err)
	}
	return out.String(), nil
}

// Rewrite returns the text of an object, as Find has it, with other texts in it. Change gets each of them, in a fixed order, and the
// name of the variable or of the option of a command (--name=text) whose value it is; "" for all others.
func Rewrite(text string, change func(name, text string) string) string {
	var of object
	if json.Unmarshal([]byte(text), &of) != nil {
		return text // nothing was found
	}
	rewrite(of, "", "", change)
	out, err := encoded(of)
	if err != nil {
		panic(err) // it is of JSON
	}
	return out
}

// rewrite changes the texts of a value in their place, and returns it.
func rewrite(v any, key, variable string, change func(name, text string) string) any {
	switch v := v.(type) {
	case object:
		name, _ := v["name"].(string)
		for _, key := range slices.Sorted(maps.Keys(v)) {
			of := ""
			if key == "value" {
				of = name
			}
			v[key] = rewrite(v[key], key, of, change)
		}
	case []any:
		for i := range v {
			v[i] = rewrite(v[i], key, "", change)
		}
	case string:
		option, value, is := strings.Cut(v, "=")
		if is && strings.HasPrefix(option, "-") && (key == "command" || key == "args") {
			return option + "=" + change(strings.TrimLeft(option, "-"), value)
		}
		return change(variable, v)
	}
	return v
}
