// A function instead of a service in the tree that is made of flags: 'tracetax run --function app.handler -- python3'.

package config

import (
	"path"
	"slices"
	"strings"
)

// handled is the name that the function has on the platform.
const handled = "function"

// functionWorkload is a platform with the function, whose runtime's client the command starts.
func (b *flagBuilder) functionWorkload(command place) *node {
	at := place{flag: "--function " + quote(b.Function)}
	for flag, given := range map[string]bool{"--op": len(b.Ops) > 0, "--body": b.Body != "", "--ready": b.Ready != "", "--port": b.Port != 0} {
		if given {
			b.fail(place{flag: flag}, "a function has one operation, its invocation; leave %s out (its event is --event FILE)", flag)
		}
	}
	if strings.ContainsAny(b.Function, ", \t{}") || !strings.Contains(b.Function, ".") {
		b.fail(at, "a handler is FILE.NAME, such as app.handler")
	}
	words := func(at place, texts ...string) *node {
		out := &node{kind: list, at: at}
		for _, text := range texts {
			out.items = append(out.items, &node{kind: scalar, text: text, at: at})
		}
		return out
	}
	platform := &node{kind: mapping, at: at}
	platform.set("name", &node{kind: scalar, text: "platform", at: at})
	platform.set("role", &node{kind: scalar, text: "platform", at: at})
	platform.set("run", words(at, "{tracetax}", "agent", "platform", "--listen=127.0.0.1:{port}", "--control=127.0.0.1:{port.control}",
		"--function="+handled+"="+b.Function+",memory=1024,timeout=60s"))
	platform.set("ready", &node{kind: scalar, text: "http://127.0.0.1:{port}/healthz", at: at})

	app := &node{kind: mapping, at: command}
	app.set("name", &node{kind: scalar, text: "app", at: command})
	app.set("run", words(at, "{tracetax}", "agent", "environments", "--platform=127.0.0.1:{platform.port.control}", "--scratch={tmp}", "--"))
	app.set("starts", words(command, b.runtime()...))
	app.set("ready", &node{kind: scalar, text: "log:ready for invocations", at: at})
	if len(b.Env) > 0 {
		app.set("env", b.assignments("--env", b.Env))
	}
	if b.Patience != "" {
		app.set("patience", word("--patience "+quote(b.Patience), b.Patience))
	}

	invocation := tree(at.flag)
	invocation.set("process", word(at.flag, "platform"))
	invocation.set("request", word(at.flag, "POST /2015-03-31/functions/"+handled+"/invocations"))
	if len(b.Headers) > 0 {
		invocation.set("headers", b.headerTree())
	}
	if b.Event != "" {
		invocation.set("body", word("--event "+quote(b.Event), "@"+b.Event))
	}
	operations := tree(at.flag)
	operations.set(b.Function, invocation)

	w := tree("")
	b.word(w, "name", b.Flags.Name)
	if b.Flags.Name == "" {
		w.set("name", word(at.flag, b.Function))
	}
	if b.Language != "" {
		w.set("language", word("--language "+quote(b.Language), b.Language))
	}
	b.word(w, "prepare", b.Prepare)
	b.word(w, "cleanup", b.Cleanup)
	w.set("processes", &node{kind: list, items: []*node{platform, app}, at: at})
	w.set("operations", operations)
	return w
}

// runtime is the command of the runtime's client: AWS's own of Python where the command is Python alone, otherwise what was
// written.
func (b *flagBuilder) runtime() []string {
	if len(b.Command) == 1 && strings.HasPrefix(path.Base(b.Command[0]), "python") {
		return append(slices.Clone(b.Command), "-m", "awslambdaric", b.Function)
	}
	return b.Command
}
