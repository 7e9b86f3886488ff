package loading

// This file reads the files that flags name.

import (
	"fmt"
	"os"
)

// readRegular reads a file that is looked at before it is opened: to open a named
// pipe waits until somebody writes, and no signal ends that.
func readRegular(name string) ([]byte, error) {
	if err := checkRegular(name); err != nil {
		return nil, err
	}
	return os.ReadFile(name)
}

// checkRegular is an error that names the file, where it is none or no regular one.
func checkRegular(name string) error {
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a regular file", name)
	}
	return nil
}
