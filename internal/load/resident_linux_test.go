package load

import (
	"fmt"
	"os"
	"runtime/debug"
	"testing"
)

// resident returns the bytes of this process that are in memory, without garbage.
func resident(b *testing.B) int64 {
	debug.FreeOSMemory()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		b.Error(err)
		return 0
	}
	var total, pages int64
	if _, err := fmt.Sscan(string(text), &total, &pages); err != nil {
		b.Errorf("statm %q: %v", text, err)
	}
	return pages * int64(os.Getpagesize())
}
