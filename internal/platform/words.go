package platform

import (
	"encoding/json"
	"fmt"
)

// What goes wrong, in the words of AWS. Unlike there, a function that fails does not answer 200: who asks by HTTP alone
// would take a failure for an answer.

// failure is that of a function.
func failure(kind, message string) result {
	return result{status: 502, body: told(map[string]string{"errorType": kind, "errorMessage": message}), failed: true}
}

// refused is that of a request which does not come to a function.
func refused(status int, kind, message string) result {
	return result{status: status, body: told(map[string]string{"Type": kind, "Message": message})}
}

func told(words map[string]string) []byte {
	text, err := json.Marshal(words)
	if err != nil { // strings always can
		panic(err)
	}
	return text
}

// tooLarge is the failure of a function whose answer has so many bytes.
func tooLarge(size int) result {
	return failure("Function.ResponseSizeTooLarge", fmt.Sprintf("Response payload size (%d bytes) exceeded maximum allowed payload size (%d bytes).", size, maxAnswer))
}

// dead is the failure of whom an environment had when its process ended.
func (e Ended) dead(f Function, i *invocation) result {
	id := "none"
	if i != nil {
		id = i.id
	}
	if e.OutOfMemory {
		return failure("Runtime.OutOfMemory", fmt.Sprintf("RequestId: %s Error: Runtime exited with error: %s: it used more than its %d MB of memory", id, e.Status, f.Memory))
	}
	return failure("Runtime.ExitError", fmt.Sprintf("RequestId: %s Error: Runtime exited with error: %s", id, e.Status))
}

// The most that an event and an answer may have, as with Lambda: 6 MB, and for an answer 100 bytes more.
const (
	maxEvent  = 6 << 20
	maxAnswer = maxEvent + 100
)
