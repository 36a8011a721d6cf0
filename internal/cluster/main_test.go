package cluster

import (
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	if IsKeeper() {
		os.Exit(Keep())
	}
	if addr := os.Getenv(fakeVariable); addr != "" {
		os.Exit(fakeServer(addr))
	}
	if how := os.Getenv(victimVariable); how != "" {
		os.Exit(victim(how))
	}
	if entry := os.Getenv(installerVariable); entry != "" {
		os.Exit(installer(entry))
	}
	os.Exit(m.Run())
}
