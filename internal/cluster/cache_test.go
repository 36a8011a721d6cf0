package cluster

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	installerVariable = "KVBENCH_TEST_INSTALLER" // holds the entry to install
	installerHangs    = "KVBENCH_TEST_INSTALLER_HANGS"
)

// TestFillOnce has several processes, and goroutines of one, install the same.
func TestFillOnce(t *testing.T) {
	entry := filepath.Join(t.TempDir(), "cache", "etcd-1")
	results := make(chan error)
	const each = 3
	for range each {
		go func() { results <- startInstaller(t, entry).Wait() }()
		go func() { results <- countingFill(t.Context(), entry) }()
	}
	for range 2 * each {
		if err := <-results; err != nil {
			t.Error(err)
		}
	}
	if n := installs(t, entry); n != 1 {
		t.Errorf("%d installs, want 1", n)
	}
	assertOnly(t, entry, "etcd-1", "etcd-1.lock", "etcd-1.count")
}

// TestFillInterrupted kills a process in the middle of an installation, whose
// tool goes on for a while.
func TestFillInterrupted(t *testing.T) {
	entry := filepath.Join(t.TempDir(), "etcd-1")
	cmd := startInstaller(t, entry, installerHangs+"=1")
	for _, err := os.Stat(entry + ".tool"); err != nil; _, err = os.Stat(entry + ".tool") { // the test's own time limit bounds this
		time.Sleep(time.Millisecond)
	}
	if cached(entry) {
		t.Error("an installation that isn't complete is taken for one")
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	if cached(entry) {
		t.Error("an interrupted installation is taken for complete")
	}
	endTool := sync.OnceFunc(func() {
		if err := os.WriteFile(entry+".done", nil, 0o644); err != nil {
			t.Error(err)
		}
	})
	defer endTool()
	waited := false
	err := fill(t.Context(), entry, func() { waited = true; endTool() }, func(site) error { return nil })
	if err != nil || !waited {
		t.Errorf("error %v, waited for the tool: %v", err, waited)
	}
	assertOnly(t, entry, "etcd-1", "etcd-1.lock", "etcd-1.count", "etcd-1.tool", "etcd-1.done")
}

func TestFillFails(t *testing.T) {
	entry := filepath.Join(t.TempDir(), "etcd-1")
	cause := errors.New("no network")
	err := fill(t.Context(), entry, func() {}, func(at site) error {
		return errors.Join(cause, os.WriteFile(filepath.Join(at.dir, "half"), nil, 0o644))
	})
	if !errors.Is(err, cause) {
		t.Errorf("error %v, want %v", err, cause)
	}
	assertOnly(t, entry, "etcd-1.lock")
}

func TestFillWaitsNoLongerThanTold(t *testing.T) {
	entry := filepath.Join(t.TempDir(), "etcd-1")
	lock, err := lockFile(t.Context(), entry+".lock", func() {})
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	ctx, cancel := context.WithCancelCause(t.Context())
	err = fill(ctx, entry, func() { cancel(errors.New("enough")) }, func(site) error { return nil })
	assertError(t, err, "locked by another process", "enough")
}

func TestCacheEntryFollowsInputs(t *testing.T) {
	a, errA := cacheEntry(Etcd, "3.7.3", recipe{inputs: "a"})
	b, errB := cacheEntry(Etcd, "3.7.3", recipe{inputs: "b"})
	c, errC := cacheEntry(Etcd, "3.7.2", recipe{inputs: "a"})
	if err := errors.Join(errA, errB, errC); err != nil {
		t.Fatal(err)
	}
	if a == b || a == c {
		t.Errorf("entries %q, %q, %q must differ", a, b, c)
	}
}

func startInstaller(t *testing.T, entry string, env ...string) *exec.Cmd {
	t.Helper()
	exe, err := self()
	if err != nil {
		t.Error(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(append(os.Environ(), installerVariable+"="+entry), env...)
	if err := cmd.Start(); err != nil {
		t.Error(err)
	}
	return cmd
}

// installer is the main function of a process that installs.
func installer(entry string) int {
	if err := countingFill(context.Background(), entry); err != nil {
		return 1
	}
	return 0
}

// countingFill fills entry, slowly, and adds a line to a file each time that
// the installation is really done.
func countingFill(ctx context.Context, entry string) error {
	return fill(ctx, entry, func() {}, func(at site) error {
		if err := os.WriteFile(filepath.Join(at.dir, "half"), nil, 0o644); err != nil {
			return err
		}
		count, err := os.OpenFile(entry+".count", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
		if err != nil {
			return err
		}
		defer count.Close()
		if _, err := fmt.Fprintln(count, os.Getpid()); err != nil {
			return err
		}
		if os.Getenv(installerHangs) != "" {
			// Like a build: it notices neither that we are gone nor that its directory is.
			return at.run(ctx, nil, "sh", "-c", `>"$0.tool"; while [ -e "$0.tool" ] && [ ! -e "$0.done" ]; do sleep 0.01; done`, entry)
		}
		return sleep(ctx, 200*time.Millisecond) // for the others to come upon it
	})
}

func installs(t *testing.T, entry string) int {
	t.Helper()
	b, err := os.ReadFile(entry + ".count")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return strings.Count(string(b), "\n")
}

// assertOnly checks the names of what is in the directory of entry.
func assertOnly(t *testing.T, entry string, want ...string) {
	t.Helper()
	files, err := os.ReadDir(filepath.Dir(entry))
	if err != nil {
		t.Fatal(err)
	}
	left := make(map[string]bool)
	for _, f := range files {
		left[f.Name()] = true
	}
	for _, name := range want {
		if !left[name] {
			t.Errorf("no %q in the cache", name)
		}
		delete(left, name)
	}
	for name := range left {
		t.Errorf("%q left in the cache", name)
	}
}
