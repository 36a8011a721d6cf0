package record

// Counts are the numbers of operations by outcome.
type Counts struct {
	OK       int64             // acknowledged and verified
	InWindow int64             // those of OK that were done before the run's window closed
	Late     Half              // what happened in the second half of the window
	Failed   [numClasses]int64 // by Class
	First    [numClasses]error // an early error of each Class: the first that some stripe met; nil if there was none
}

// A Half counts operations in a part of a run. A system that keeps up with its
// arrivals has as many of the one as of the other, whatever an operation takes.
type Half struct {
	Arrived int64 // meant to start
	Done    int64 // acknowledged and verified
}

// Errors returns the number of failed operations.
func (c *Counts) Errors() int64 {
	var n int64
	for _, f := range c.Failed {
		n += f
	}
	return n
}

// Ops returns the number of operations, whatever their outcome.
func (c *Counts) Ops() int64 { return c.OK + c.Errors() }

// Classes returns the classes of the failures that occurred, in report order.
func (c *Counts) Classes() []Class {
	var cs []Class
	for i, n := range c.Failed {
		if n > 0 {
			cs = append(cs, Class(i))
		}
	}
	return cs
}

// Ambiguous returns the number of failed operations that may nevertheless have
// been applied: those without an answer, or with one that doesn't say. What was
// refused (for lack of resources, for its size, for a condition) has no effect.
func (c *Counts) Ambiguous() int64 {
	return c.Failed[Timeout] + c.Failed[Unavailable] + c.Failed[Other]
}

func (c *Counts) add(d *Counts) {
	c.OK += d.OK
	c.InWindow += d.InWindow
	c.Late.Arrived += d.Late.Arrived
	c.Late.Done += d.Late.Done
	for i := range c.Failed {
		c.Failed[i] += d.Failed[i]
		if c.First[i] == nil {
			c.First[i] = d.First[i]
		}
	}
}

// since returns the counts of c that are not yet in old. First stays c's.
func (c Counts) since(old *Counts) Counts {
	c.OK -= old.OK
	c.InWindow -= old.InWindow
	c.Late.Arrived -= old.Late.Arrived
	c.Late.Done -= old.Late.Done
	for i := range c.Failed {
		c.Failed[i] -= old.Failed[i]
	}
	return c
}
