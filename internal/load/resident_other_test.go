//go:build !linux

package load

import (
	"runtime"
	"runtime/debug"
	"testing"
)

// resident returns the bytes that the Go runtime has from the system and has not
// given back, without garbage: what can be known without /proc.
func resident(*testing.B) int64 {
	debug.FreeOSMemory()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.Sys - m.HeapReleased)
}
