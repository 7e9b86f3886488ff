// Orders, a line each, and the answers to them.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"log"
	"net"
	"regexp"
	"runtime"
	"strings"
)

// server carries out one order after the other.
type server struct {
	stretch *stretch // nil before the first "prepare"
}

// serve listens until the work is over: at "stop", or where a connection ends on
// which a line came. A connection without a line only asked whether anybody listens.
func (s *server) serve(listener net.Listener) error {
	for {
		connection, err := listener.Accept()
		if err != nil {
			return err
		}
		over, err := s.talk(connection)
		connection.Close()
		if err != nil {
			log.Print("calls: the connection broke: ", err)
		}
		if over {
			return nil
		}
	}
}

func (s *server) talk(connection net.Conn) (over bool, err error) {
	lines := bufio.NewScanner(connection)
	for lines.Scan() {
		over = true
		line := lines.Text()
		if _, err := fmt.Fprintln(connection, s.answer(line)); err != nil || line == "stop" {
			return true, err
		}
	}
	return over, lines.Err()
}

var unprintable = regexp.MustCompile(`[^ -~]+`)

func (s *server) answer(line string) string {
	answer, err := s.carryOut(line)
	if err != nil {
		return "error " + unprintable.ReplaceAllString(err.Error(), " ")
	}
	return answer
}

func (s *server) carryOut(line string) (answer string, err error) {
	verb, words, _ := strings.Cut(line, " ")
	switch verb {
	case "prepare":
		return s.prepare(words)
	case "run":
		if s.stretch == nil {
			return "", errors.New("no order was prepared")
		}
		return s.stretch.make()
	case "write":
		if s.stretch == nil {
			return "", errors.New("no order was prepared")
		}
		written, err := s.stretch.write()
		return fmt.Sprint("written samples=", written), err
	case "live":
		runtime.GC()
		return fmt.Sprint("live heap_live_bytes=", readMeters().heap), nil
	case "stop":
		return "bye", nil
	}
	return "", fmt.Errorf("unknown order %q", verb)
}

func (s *server) prepare(words string) (string, error) {
	o, err := parseOrder(words)
	if err != nil {
		return "", err
	}
	if s.stretch != nil {
		if err := s.stretch.close(); err != nil {
			return "", err
		}
		s.stretch = nil // its arrays make room for the new ones
	}
	s.stretch, err = newStretch(o)
	return "prepared", err
}
