package cluster

import (
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	if IsKeeper() {
		os.Exit(Keep())
	}
	if how := os.Getenv(victimVariable); how != "" {
		os.Exit(victim(how))
	}
	os.Exit(m.Run())
}
