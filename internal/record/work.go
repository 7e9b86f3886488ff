package record

// ParameterDepth is the parameter of a phase of which the spans that an operation
// makes depend: how many calls in one another it is.
const ParameterDepth = "depth"

// Work names what makes a certain number of spans: an operation, and, where the
// depth is varied between phases, the depth at which it is made. It is the key under
// which spans per operation are learnt and looked up.
func Work(operation string, parameter map[string]string) string {
	if depth, varied := parameter[ParameterDepth]; varied {
		return operation + ", " + ParameterDepth + " " + depth
	}
	return operation
}

// Work names what the phase made spans by; see the function.
func (p *Phase) Work() string { return Work(p.Operation, p.Parameter) }
