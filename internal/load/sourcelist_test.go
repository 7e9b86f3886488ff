package load

import (
	"fmt"
	"strings"
	"testing"
)

func TestSources(t *testing.T) {
	for list, want := range map[string]string{
		"":                                "[]",
		"127.0.0.2":                       "[127.0.0.2]",
		"127.0.0.2,127.0.0.4":             "[127.0.0.2 127.0.0.4]",
		"127.0.0.254-127.0.1.1":           "[127.0.0.254 127.0.0.255 127.0.1.0 127.0.1.1]",
		"::1":                             "[::1]",
		"127.0.0.9-127.0.0.2":             "the lower one first",
		"127.0.0.2-::1":                   "of one kind",
		"127.0.0.2-300":                   "of one kind",
		"localhost":                       "want an address",
		"127.0.0.0-127.255.0.0":           "more than 1024",
		"127.0.0.2-127.0.0.2":             "[127.0.0.2]",
		"255.255.255.255-":                "of one kind",
		"255.255.255.254-255.255.255.255": "[255.255.255.254 255.255.255.255]",
	} {
		var items []string
		if list != "" {
			items = strings.Split(list, ",")
		}
		got, err := Sources(items)
		if text := fmt.Sprint(got); err == nil && text != want || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %s, %v; want %s", list, text, err, want)
		}
	}
}
