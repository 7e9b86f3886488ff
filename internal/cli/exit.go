package cli

// The exit statuses of every command; docs/commands.md repeats them for users.
const (
	exitFine         = 0
	exitFailed       = 1
	exitUsage        = 2 // wrong usage, or a wrong file
	exitOverBudget   = 3
	exitInconclusive = 4
)

// statusError is an error that carries the exit status of the command. With a
// nil err the command has already said what there is to say.
type statusError struct {
	code int
	err  error
}

func (e *statusError) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e *statusError) Unwrap() error { return e.err }

// usageError marks err as the user's: wrong usage or a wrong file.
func usageError(err error) error { return &statusError{code: exitUsage, err: err} }
