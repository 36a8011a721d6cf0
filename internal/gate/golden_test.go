package gate

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// What the gate says of real results, in all formats: etcd 3.7.3 after 3.5.21.
func TestGolden(t *testing.T) {
	few := []string{"-alpha=0.05", "-unit=ops/s,p50-ns,p99-ns"}
	for _, tc := range []struct {
		file   string
		args   []string
		status int
	}{
		{"all.txt", []string{"-all"}, 0},
		{"worse.txt", few, 1},
		{"worse.md", append(few, "-format=markdown"), 1},
		{"worse.json", append(few, "-format=json"), 1},
	} {
		status, got, stderr := gateOf(append(tc.args, oldFile, newFile)...)
		if status != tc.status || stderr != "" {
			t.Errorf("%s: status %d, want %d: %s", tc.file, status, tc.status, stderr)
		}
		golden(t, tc.file, got)
	}
}

// golden compares a text with a file of testdata.
func golden(t *testing.T, file, got string) {
	t.Helper()
	name := filepath.Join("testdata", file)
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}
