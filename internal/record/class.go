package record

// A Class says what kind of failure an operation met.
type Class int

// The classes of errors, in the order in which they are reported.
const (
	Timeout     Class = iota // no reply within the operation's deadline
	Unavailable              // no server, no quorum, or the connection was lost
	Overload                 // refused for lack of resources
	TooLarge                 // a request over a limit of the server, refused or never sent
	Conflict                 // a condition did not hold
	NotFound                 // a row that was written is not there
	Corrupt                  // a reply is not what was written
	Unstarted                // intended by the schedule, never sent before the run had to end
	Other
	numClasses
)

var classNames = [numClasses]string{"timeout", "unavailable", "overload", "too large", "conflict", "not found", "corrupt", "unstarted", "other"}

// String returns the class's name as it appears in reports.
func (c Class) String() string { return classNames[c] }

// Classes returns all classes in report order.
func Classes() []Class {
	cs := make([]Class, numClasses)
	for i := range cs {
		cs[i] = Class(i)
	}
	return cs
}
