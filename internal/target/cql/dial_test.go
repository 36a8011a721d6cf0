package cql

import (
	"testing"
	"time"
)

func TestShortDeadlinesDoNotCutIdleConnections(t *testing.T) {
	for timeout, want := range map[time.Duration]time.Duration{
		time.Millisecond: heartbeat + replyTime,
		time.Minute:      heartbeat + time.Minute,
	} {
		if got := newDialer(Config{Timeout: timeout}).silence; got != want {
			t.Errorf("operations of %v: connections may be silent for %v, want %v", timeout, got, want)
		}
	}
}
