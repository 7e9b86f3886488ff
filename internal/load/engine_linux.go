// The engine of Linux: the event loop.

package load

func newEngine(shown *progress) (engine, error) { return newLoop(shown) }
