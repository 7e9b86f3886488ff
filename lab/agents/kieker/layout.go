// This file knows the records that Kieker's monitoring can send, field by field:
// without that the end of a record is unknown.

package kieker

import (
	"encoding/binary"
	"errors"
)

// class is the purpose of a record.
type class uint8

const (
	other     class = iota // what Kieker says of itself and its programs
	execution              // an operation that was executed: a span
	event                  // a moment in an operation
	sample                 // a figure of the JVM or the machine
	metadata               // what Kieker says of itself first of all
)

// layout is how a class of records lies on the wire: one letter a field, s string (its
// number in the registry), i int, l long, d double, b boolean, a string array (its
// length, then that many strings).
type layout struct {
	class  class
	fields string
	size   int  // bytes, without those of the arrays' strings
	open   bool // it has arrays
}

func lay(c class, fields string) layout {
	l := layout{class: c, fields: fields}
	for _, f := range fields {
		l.size += sizes[f]
		l.open = l.open || f == 'a'
	}
	return l
}

var sizes = map[rune]int{'s': 4, 'i': 4, 'a': 4, 'l': 8, 'd': 8, 'b': 1}

// layoutOf returns the layout of the class with that Java name. The names and types
// are those of all record classes of Kieker 2.0.2.
func layoutOf(name string) (layout, bool) {
	l, known := layouts[name]
	return l, known
}

// arrayLimit bounds the strings of one array.
const arrayLimit = 4096

var errArray = errors.New("an array has more strings than any record of Kieker")

// length returns the bytes of a record whose fields begin b, or -1 if b does not hold
// enough to tell. Fields that are counted to be there may lie beyond b.
func (l *layout) length(b []byte) (int, error) {
	if !l.open {
		return l.size, nil
	}
	at := 0
	for _, f := range l.fields {
		if f == 'a' {
			if len(b) < at+4 {
				return -1, nil
			}
			n := binary.BigEndian.Uint32(b[at:])
			if n > arrayLimit {
				return 0, errArray
			}
			at += 4 * int(n)
		}
		at += sizes[f]
	}
	return at, nil
}

// This file is the table of the record classes.

// layouts is by Java name.
var layouts = map[string]layout{
	"kieker.common.record.controlflow.BranchingRecord":                                                   lay(event, "lii"),
	"kieker.common.record.controlflow.OperationExecutionRecord":                                          lay(execution, "sslllsii"),
	"kieker.common.record.database.AfterDatabaseEvent":                                                   lay(event, "lsliss"),
	"kieker.common.record.database.BeforeDatabaseEvent":                                                  lay(event, "lsliss"),
	"kieker.common.record.database.DatabaseFailedEvent":                                                  lay(event, "lslis"),
	"kieker.common.record.flow.thread.AfterFailedThreadBasedEvent":                                       lay(event, "llisss"),
	"kieker.common.record.flow.thread.AfterThreadBasedEvent":                                             lay(event, "lliss"),
	"kieker.common.record.flow.thread.BeforeThreadBasedEvent":                                            lay(event, "lliss"),
	"kieker.common.record.flow.trace.ApplicationTraceMetadata":                                           lay(other, "llsslis"),
	"kieker.common.record.flow.trace.BeforeReceivedRemoteEvent":                                          lay(event, "llili"),
	"kieker.common.record.flow.trace.BeforeSentRemoteEvent":                                              lay(event, "llis"),
	"kieker.common.record.flow.trace.ConstructionEvent":                                                  lay(event, "llisi"),
	"kieker.common.record.flow.trace.TraceMetadata":                                                      lay(other, "llssli"),
	"kieker.common.record.flow.trace.concurrency.JoinEvent":                                              lay(event, "llil"),
	"kieker.common.record.flow.trace.concurrency.SplitEvent":                                             lay(event, "lli"),
	"kieker.common.record.flow.trace.concurrency.monitor.MonitorEntryEvent":                              lay(event, "llii"),
	"kieker.common.record.flow.trace.concurrency.monitor.MonitorExitEvent":                               lay(event, "llii"),
	"kieker.common.record.flow.trace.concurrency.monitor.MonitorNotifyAllEvent":                          lay(event, "llii"),
	"kieker.common.record.flow.trace.concurrency.monitor.MonitorNotifyEvent":                             lay(event, "llii"),
	"kieker.common.record.flow.trace.concurrency.monitor.MonitorRequestEvent":                            lay(event, "llii"),
	"kieker.common.record.flow.trace.concurrency.monitor.MonitorWaitEvent":                               lay(event, "llii"),
	"kieker.common.record.flow.trace.operation.AfterOperationEvent":                                      lay(event, "lliss"),
	"kieker.common.record.flow.trace.operation.AfterOperationFailedEvent":                                lay(event, "llisss"),
	"kieker.common.record.flow.trace.operation.BeforeOperationEvent":                                     lay(event, "lliss"),
	"kieker.common.record.flow.trace.operation.CallOperationEvent":                                       lay(event, "llissss"),
	"kieker.common.record.flow.trace.operation.EntryLevelBeforeOperationEvent":                           lay(event, "llissaai"),
	"kieker.common.record.flow.trace.operation.constructor.AfterConstructorEvent":                        lay(event, "lliss"),
	"kieker.common.record.flow.trace.operation.constructor.AfterConstructorFailedEvent":                  lay(event, "llisss"),
	"kieker.common.record.flow.trace.operation.constructor.BeforeConstructorEvent":                       lay(event, "lliss"),
	"kieker.common.record.flow.trace.operation.constructor.CallConstructorEvent":                         lay(event, "llissss"),
	"kieker.common.record.flow.trace.operation.constructor.object.AfterConstructorFailedObjectEvent":     lay(event, "llisssi"),
	"kieker.common.record.flow.trace.operation.constructor.object.AfterConstructorObjectEvent":           lay(event, "llissi"),
	"kieker.common.record.flow.trace.operation.constructor.object.BeforeConstructorObjectEvent":          lay(event, "llissi"),
	"kieker.common.record.flow.trace.operation.constructor.object.BeforeConstructorObjectInterfaceEvent": lay(event, "llissis"),
	"kieker.common.record.flow.trace.operation.constructor.object.CallConstructorObjectEvent":            lay(event, "llissssii"),
	"kieker.common.record.flow.trace.operation.object.AfterOperationFailedObjectEvent":                   lay(event, "llisssi"),
	"kieker.common.record.flow.trace.operation.object.AfterOperationObjectEvent":                         lay(event, "llissi"),
	"kieker.common.record.flow.trace.operation.object.BeforeOperationObjectEvent":                        lay(event, "llissi"),
	"kieker.common.record.flow.trace.operation.object.BeforeOperationObjectInterfaceEvent":               lay(event, "llissis"),
	"kieker.common.record.flow.trace.operation.object.CallOperationObjectEvent":                          lay(event, "llissssii"),
	"kieker.common.record.flow.trace.operation.object.EntryLevelBeforeOperationObjectEvent":              lay(event, "llissiaai"),
	"kieker.common.record.jvm.ClassLoadingRecord":                                                        lay(sample, "lsslil"),
	"kieker.common.record.jvm.CompilationRecord":                                                         lay(sample, "lsssl"),
	"kieker.common.record.jvm.GCRecord":                                                                  lay(sample, "lsssll"),
	"kieker.common.record.jvm.MemoryRecord":                                                              lay(sample, "lsslllllllli"),
	"kieker.common.record.jvm.ThreadsStatusRecord":                                                       lay(sample, "lssllll"),
	"kieker.common.record.jvm.UptimeRecord":                                                              lay(sample, "lssl"),
	"kieker.common.record.misc.EmptyRecord":                                                              lay(other, ""),
	"kieker.common.record.misc.HostApplicationMetaData":                                                  lay(other, "ssss"),
	"kieker.common.record.misc.KiekerMetadataRecord":                                                     lay(metadata, "sssiblsl"),
	"kieker.common.record.misc.OperationCallEvent":                                                       lay(event, "ssss"),
	"kieker.common.record.misc.ThreadMetaData":                                                           lay(other, "sl"),
	"kieker.common.record.misc.TimestampRecord":                                                          lay(other, "l"),
	"kieker.common.record.remotecontrol.ActivationEvent":                                                 lay(other, "s"),
	"kieker.common.record.remotecontrol.ActivationParameterEvent":                                        lay(other, "ssa"),
	"kieker.common.record.remotecontrol.AddParameterValueEvent":                                          lay(other, "sss"),
	"kieker.common.record.remotecontrol.DeactivationEvent":                                               lay(other, "s"),
	"kieker.common.record.remotecontrol.RemoveParameterValueEvent":                                       lay(other, "sss"),
	"kieker.common.record.remotecontrol.UpdateParameterEvent":                                            lay(other, "ssa"),
	"kieker.common.record.session.SessionEndEvent":                                                       lay(event, "lss"),
	"kieker.common.record.session.SessionStartEvent":                                                     lay(event, "lss"),
	"kieker.common.record.system.CPUUtilizationRecord":                                                   lay(sample, "lssddddddd"),
	"kieker.common.record.system.DiskUsageRecord":                                                        lay(sample, "lssdddddd"),
	"kieker.common.record.system.LoadAverageRecord":                                                      lay(sample, "lsddd"),
	"kieker.common.record.system.MemSwapUsageRecord":                                                     lay(sample, "lsllllll"),
	"kieker.common.record.system.NetworkUtilizationRecord":                                               lay(sample, "lsslddddddddddddd"),
	"kieker.common.record.system.ResourceUtilizationRecord":                                              lay(sample, "lssd"),
}
