// Kieker's agent, over TCP and through files: both of its probes.

package e2e

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/protocol"
	"github.com/tracetax/tracetax/internal/sink"
	"github.com/tracetax/tracetax/internal/sink/kieker"
)

// Kieker waits rather than drop: a record a call, and ByteBuddy's probe has one each of
// the class's initializer and constructor.
func TestKiekerOverTCP(t *testing.T) {
	more(t, "Kieker")
	t.Parallel() // it mostly waits, and asks for counts, not for times
	const writer, ofClass = "kieker.monitoring.writer.tcp.SingleSocketTcpWriter", 2
	agent := fetchAgent(t, "kieker-bytebuddy.jar")
	s := startSink(t, sink.Config{Listen: protocol.Addresses{protocol.Kieker: "127.0.0.1:0"}})
	host, port := hostPort(t, s.Addresses()[protocol.Kieker])
	p := startCalls(t, []string{"KIEKER_SIGNATURES_INCLUDE=* calls.Recursion.*();"},
		"-javaagent:"+agent, "-Dkieker.monitoring.writer="+writer, "-D"+writer+".hostname="+host, "-D"+writer+".port="+port)
	p.call(t)
	p.end(t) // it holds back what does not fill its buffer
	c := spans(t, s, agentCalls*agentDepth+ofClass, agentCalls+ofClass)
	if c.Protocols["kieker"] != 1 || c.Kinds["internal"] != c.Spans || c.Services["KIEKER-SINGLETON"] != c.Spans {
		t.Errorf("counted %+v", c)
	}
}

// AspectJ's aspect takes the class with its constructor.
func TestKiekerFiles(t *testing.T) {
	more(t, "Kieker")
	t.Parallel() // it mostly waits, and asks for counts, not for times
	const files, constructors = "kieker.monitoring.writer.filesystem.", 1
	agent := fetchAgent(t, "kieker-aspectj.jar")
	dir := t.TempDir()
	p := startCalls(t, nil, "-javaagent:"+agent, "-Dkieker.monitoring.skipDefaultAOPConfiguration=true",
		"-Dorg.aspectj.weaver.loadtime.configuration=file:"+testdata(t, "aop.xml"), "-Dkieker.monitoring.writer="+files+"FileWriter",
		"-D"+files+"FileWriter.logStreamHandler="+files+"BinaryLogStreamHandler", "-D"+files+"FileWriter.customStoragePath="+dir)
	p.call(t)
	settled(t, dir)
	p.end(t)
	c, err := kieker.CountFolder(dir)
	if err != nil || c.Spans != agentCalls*agentDepth+constructors || c.Roots != agentCalls+constructors {
		t.Errorf("counted %+v, %v", c, err)
	}
}

// settled waits until the files below dir have not grown for half a second: at its end
// Kieker gives up what its writer has not come to.
func settled(t *testing.T, dir string) {
	t.Helper()
	var size int64
	for last := time.Now(); time.Since(last) < 500*time.Millisecond; time.Sleep(20 * time.Millisecond) {
		var now int64
		err := filepath.WalkDir(dir, func(_ string, entry os.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			info, err := entry.Info()
			if err == nil {
				now += info.Size()
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if now != size {
			size, last = now, time.Now()
		}
	}
}
