package cluster

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestCleanCache fills a cache with what may be in one, and cleans it.
func TestCleanCache(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir()) // of the cache on macOS
	if all, err := CleanCache(); err != nil || len(all) != 0 {
		t.Errorf("without a cache: %v, %v", all, err)
	}
	root, err := cacheRoot()
	if err != nil {
		t.Fatal(err)
	}
	precious := t.TempDir()
	for _, file := range []string{
		"used-1.0-linux/bin/server", "idle-1.0-linux/bin/server", "being-1.0-linux.tmp-123/half", "left-1.0-linux.tmp-123/half",
	} {
		name := filepath.Join(root, file)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte("1234"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, link := range []string{"link-1.0-linux", "idle-1.0-linux/link"} {
		if err := os.Symlink(precious, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	installing, err := tryLock(filepath.Join(root, "being-1.0-linux.lock"))
	if err != nil || installing == nil {
		t.Fatal(installing, err)
	}
	keeper := newKeeper(t)
	if err := keeper.use(filepath.Join(root, "used-1.0-linux")); err != nil {
		t.Fatal(err)
	}

	assertCleaned(t, "being-1.0-linux.tmp-123 4 in use", "idle-1.0-linux 4", "left-1.0-linux.tmp-123 4", "used-1.0-linux 4 in use")
	if err := keeper.close(t.Context()); err != nil {
		t.Error(err)
	}
	if err := installing.Close(); err != nil {
		t.Error(err)
	}
	assertCleaned(t, "being-1.0-linux.tmp-123 4", "used-1.0-linux 4")
	if _, err := os.Stat(precious); err != nil {
		t.Error(err)
	}
	if err := newKeeper(t).use(filepath.Join(root, "used-1.0-linux")); err == nil || !strings.Contains(err.Error(), "removed just now") {
		t.Errorf("use of what isn't there: %v", err)
	}
}

// assertCleaned cleans the cache, and looks at what was in it.
func assertCleaned(t *testing.T, want ...string) {
	t.Helper()
	all, err := CleanCache()
	if err != nil {
		t.Error(err)
	}
	var got []string
	for _, c := range all {
		line := fmt.Sprintf("%s %d", filepath.Base(c.Dir), c.Bytes)
		if c.InUse {
			line += " in use"
		}
		if _, err := os.Stat(c.Dir); (err == nil) != c.InUse {
			t.Errorf("%s: %v", line, err)
		}
		got = append(got, line)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("CleanCache (-want +got):\n%s", diff)
	}
}

// newKeeper starts a keeper, which ends with the test.
func newKeeper(t *testing.T) *owner {
	t.Helper()
	exe, err := self()
	if err != nil {
		t.Fatal(err)
	}
	keeper, err := newOwner(exe)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = keeper.close(context.Background()) }) // the test looks at what matters
	return keeper
}
