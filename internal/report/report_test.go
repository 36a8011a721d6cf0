package report

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kvbench/internal/record"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares got with testdata/name.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs (-want +got; go test -update accepts):\n%s", path, diff)
	}
}

// A session is a recorder that is told round numbers: operations of 1 µs, 2 µs …
type session struct {
	*record.Recorder
	openLoop bool
}

func newSession(kind string, openLoop bool) session {
	return session{record.New(record.Config{Kind: kind, Clients: 4, OpenLoop: openLoop, Window: 10 * time.Second}), openLoop}
}

// succeed records n operations with response times of 1 to n times unit. In open
// loop they are sent when half of that has passed.
func (s session) succeed(n int, unit time.Duration) session {
	for i := range n {
		d := time.Duration(i+1) * unit
		op := record.Op{Done: d}
		if s.openLoop {
			op.Sent = d / 2
		}
		s.Stripe(i).Success(op)
	}
	return s
}

func (s session) fail(n int, class record.Class, err error) session {
	for i := range n {
		s.Stripe(i).Failure(record.Op{Done: time.Second}, class, err)
	}
	return s
}

// summary ends a run of 10 s.
func (s session) summary() *record.Summary { return s.Summary(10 * time.Second) }
