package console

// The exit statuses of every command; docs/commands.md repeats them for users.
const (
	Fine         = 0
	Failed       = 1
	Usage        = 2 // wrong usage, or a wrong file
	OverBudget   = 3
	Inconclusive = 4
)

// StatusError is an error that carries the exit status of the command. With a
// nil err the command has already said what there is to say.
type StatusError struct {
	Code int
	Err  error
}

func (e *StatusError) Error() string {
	if e.Err == nil {
		return ""
	}
	return e.Err.Error()
}

func (e *StatusError) Unwrap() error { return e.Err }

// UsageError marks err as the user's: wrong usage or a wrong file.
func UsageError(err error) error { return &StatusError{Code: Usage, Err: err} }
