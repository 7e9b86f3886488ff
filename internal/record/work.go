package record

import "github.com/tracetax/tracetax/internal/cell"

// ParameterDepth is the parameter of a phase of which the spans that an operation
// makes depend: how many calls in one another it is.
const ParameterDepth = cell.Depth

// Work names what makes a certain number of spans; see cell.At.
func Work(operation string, parameter map[string]string) string {
	return cell.AtOf(operation, parameter).Work()
}

// Work names what the phase made spans by; see the function.
func (p *Phase) Work() string { return Work(p.Operation, p.Parameter) }
