package process

// Inside is what can be seen of one of the programs that a process consists of.
type Inside struct {
	Program string // base name of its executable
	Lacks   bool   // it started without one of the variables
	Holds   bool   // it has a file of the folder open, or mapped
}
