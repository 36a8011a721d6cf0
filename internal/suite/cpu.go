package suite

import (
	"syscall"
	"time"
)

// cpuTime returns the processor time that this process has used, user and
// system. The runtime's own figures (runtime/metrics) are up to date only after
// a garbage collection.
func cpuTime() time.Duration {
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
