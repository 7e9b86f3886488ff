package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/tracetax/tracetax/internal/config/program"
)

// A byte-order mark at the start of a file is no part of it, and keys of its author's own are passed over at its top.
func TestMarksAndKeysOfOnesOwn(t *testing.T) {
	plain := parseOne(t, small)
	for name, text := range map[string]string{
		"a mark":          "\ufeff" + strings.TrimPrefix(small, "\n"),
		"an anchor":       "x-load: &load {rate: 100/s}\n" + strings.TrimPrefix(small, "\n") + "load: *load\n",
		"one to merge":    "x-load: &load {rate: 100/s}\n" + strings.TrimPrefix(small, "\n") + "load: {<<: *load}\n",
		"a mark and both": "\ufeffx-a: {b: [1]}\n" + strings.TrimPrefix(small, "\n") + "x-c:\n",
	} {
		if diff := cmp.Diff(plain, parseOne(t, text), same, cmpopts.IgnoreFields(program.Workload{}, "Dir")); diff != "" {
			t.Errorf("%s (-without +with)\n%s", name, diff)
		}
	}
	for name, text := range map[string]string{
		"UTF-16":            "\xff\xfew\x00",
		"UTF-16 backwards":  "\xfe\xff\x00w",
		"deeper":            strings.Replace(small, "variants: {none: ,", "variants: {none: {x-a: 1},", 1),
		"a mark in between": "name: shop\n\ufeff" + strings.TrimPrefix(small, "\n"),
	} {
		if _, err := ParseExperiment("shop.yaml", t.TempDir(), []byte(text), builtIn()); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
