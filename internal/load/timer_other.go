//go:build !linux

package load

// precisePacing waits by timers of the Go runtime: the best that is portable.
// Operations start up to a few milliseconds late, and lag-p99-ns says so.
func precisePacing() (Waiter, error) { return SleepPacing() }
