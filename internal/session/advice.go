package session

// This file is whom an error blames, and what it tells to do, in the words of the command line.

// AskedError is the mistake of who asked: another folder, file or setting is to be given.
type AskedError struct{ Err error }

func (e *AskedError) Error() string { return e.Err.Error() }

// Unwrap gives the mistake itself.
func (e *AskedError) Unwrap() error { return e.Err }

const (
	startAgain  = "start again with --out"
	chooseOther = "choose another with --out"
	askedFor    = "it was asked for by --variants"
)

func goOn(dir string) string { return "go on with: tracetax run --resume " + dir }
