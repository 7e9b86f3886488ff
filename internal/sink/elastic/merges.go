// This file takes out of what the Java agent calls dropped those spans that it has
// merged into others.

package elastic

import (
	"sync"

	"github.com/tracetax/tracetax/internal/sink/wire"
)

// agentJava is the name of the agent that counts the spans which it merged into another
// among the dropped ones of their transaction: ten queries that became one are "dropped":
// 9, without statistics of them. The agents for Go, Node and Python do not.
const agentJava = "java"

// mostMerges bounds how many transactions are remembered at least. The agent sends a
// transaction right behind its spans, so that few are open at a time.
const mostMerges = 1 << 14

// merges remembers how many spans were merged, by the id of their transaction: it may
// come in another request than they. The zero value is empty. It may be used
// concurrently.
type merges struct {
	lock       sync.Mutex
	young, old map[[8]byte]uint64
}

// add remembers n more spans of a transaction.
func (m *merges) add(transaction []byte, n uint64) {
	var id [8]byte
	if !wire.Hex(id[:], transaction) {
		return
	}
	m.lock.Lock()
	defer m.lock.Unlock()
	if m.young == nil || len(m.young) >= mostMerges {
		m.old, m.young = m.young, map[[8]byte]uint64{}
	}
	m.young[id] += n
}

// take returns how many spans of a transaction were merged, and forgets it.
func (m *merges) take(transaction []byte) uint64 {
	var id [8]byte
	if !wire.Hex(id[:], transaction) {
		return 0
	}
	m.lock.Lock()
	defer m.lock.Unlock()
	n := m.young[id] + m.old[id]
	delete(m.young, id)
	delete(m.old, id)
	return n
}
