package platform

// The test binary is also the process with the environments, and a client of the Runtime API.

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	program := map[string]func() error{"supplier": supplier, "function": function}[os.Getenv("TEST_PROGRAM")]
	if program == nil {
		os.Exit(m.Run())
	}
	if err := program(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// supplier has environments until the platform at its argument ends.
func supplier() error {
	e := Environments{Command: ownCommand(), Log: os.Stderr, Scratch: os.TempDir()}
	if err := os.Setenv("TEST_PROGRAM", "function"); err != nil {
		return err
	}
	return e.Serve(context.Background(), os.Args[1])
}

func ownCommand() []string {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return []string{self}
}

// work is an event that says what to do with it.
type work struct {
	Do     string  `json:"do"`
	Millis float64 `json:"millis,omitempty"`
	MB     int     `json:"mb,omitempty"`
}

// function is a runtime with its function: what it does at its start says its handler, and then each event.
func function() error {
	api := "http://" + os.Getenv("AWS_LAMBDA_RUNTIME_API") + "/2018-06-01/runtime/"
	switch os.Getenv("_HANDLER") {
	case "dies":
		os.Exit(3)
	case "unable":
		_, err := post(api+"init/error", `{"errorType":"Runtime.ImportModuleError","errorMessage":"no module"}`)
		return errors.Join(err, errors.New("no module"))
	}
	for count := 0; ; count++ {
		answer, err := http.Get(api + "invocation/next")
		if err != nil {
			return err
		}
		event, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil || answer.StatusCode != http.StatusOK {
			return fmt.Errorf("next: %s: %w", answer.Status, err)
		}
		at := api + "invocation/" + answer.Header.Get("Lambda-Runtime-Aws-Request-Id") + "/"
		var w work
		if err := json.Unmarshal(event, &w); err != nil {
			if _, err := post(at+"error", `{"errorType":"Runtime.UnmarshalError","errorMessage":"no JSON"}`); err != nil {
				return err
			}
			continue
		}
		begun := time.Now()
		how, said := "response", fmt.Sprintf(`{"pid":%d,"count":%d,"tmp":%q}`, os.Getpid(), count, os.Getenv("TMPDIR"))
		switch w.Do {
		case "throw":
			how, said = "error", `{"errorType":"Boom","errorMessage":"it threw"}`
		case "exit":
			os.Exit(3)
		case "sleep":
			time.Sleep(time.Duration(w.Millis * 1e6))
		case "large":
			said = `"` + strings.Repeat("x", w.MB<<20) + `"`
		case "hold":
			held := bytes.Repeat([]byte{1}, w.MB<<20)
			said = fmt.Sprint(len(held))
		case "leave a child":
			child := exec.Command("sleep", "600")
			if err := child.Start(); err != nil {
				return err
			}
			said = fmt.Sprint(child.Process.Pid)
		}
		if how == "response" && w.Do != "large" {
			said = fmt.Sprintf(`{%q:"benchmark;dur=%.3f","answer":%s}`, timingKey, float64(time.Since(begun))/1e6, said)
		}
		if _, err := post(at+how, said); err != nil {
			return err
		}
		if w.Do == "burn after" {
			spin(time.Duration(w.Millis * 1e6))
		}
	}
}

func post(to, body string) (status int, err error) {
	answer, err := http.Post(to, "application/json", strings.NewReader(body))
	if err != nil {
		return 0, err
	}
	_, err = io.Copy(io.Discard, answer.Body)
	return answer.StatusCode, errors.Join(err, answer.Body.Close())
}

// spin uses so much of this process's CPU time.
func spin(d time.Duration) {
	begin, _ := processClock(os.Getpid())
	for used := begin; used-begin < d; used, _ = processClock(os.Getpid()) {
	}
}
