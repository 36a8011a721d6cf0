package cluster

import (
	"context"
	"errors"
	"os/exec"
	"strings"
	"testing"
	"time"
)

func TestToolFails(t *testing.T) {
	const script = `i=0; while [ $i -lt 100 ]; do i=$((i+1)); echo line $i; done; echo "$LAST" >&2; exit 3`
	err := site{dir: t.TempDir()}.run(t.Context(), []string{"LAST=no such module"}, "sh", "-c", script)
	assertError(t, err, "sh -c", "exit status 3", "line 100\nno such module")
	if strings.Contains(err.Error(), "line 1\n") {
		t.Errorf("all output, want the last lines: %v", err)
	}
	if _, ok := errors.AsType[*exec.ExitError](err); !ok {
		t.Errorf("%v doesn't wrap the tool's exit", err)
	}
}

func TestToolIsGivenUp(t *testing.T) {
	ctx, cancel := context.WithTimeoutCause(t.Context(), 50*time.Millisecond, errors.New("enough"))
	defer cancel()
	assertError(t, site{dir: t.TempDir()}.run(ctx, nil, "sleep", "600"), "sleep 600: enough")
}

// TestInstallIsAnnounced once, with what and how long, and not when it's cached.
func TestInstallIsAnnounced(t *testing.T) {
	p := fakeSource(t, "", 1)
	var lines []string
	p.spec.Announce = func(line string) { lines = append(lines, line) }
	p.spec.Version = "1.2.3"
	for range 2 {
		if err := p.install(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	const want = "fake 1.2.3: installing the server for the first time, which takes no time"
	if len(lines) != 1 || lines[0] != want {
		t.Errorf("announced %q, want %q", lines, want)
	}
}

func TestInstallFails(t *testing.T) {
	p := fakeSource(t, "", 1)
	p.spec.Version = "1.2.3"
	cause := errors.New("no such version")
	p.recipe.install = func(context.Context, string, site) error { return cause }
	_, err := p.Start(t.Context())
	assertError(t, err, "fake 1.2.3: install: no such version")
	if !errors.Is(err, cause) || cached(p.entry) {
		t.Errorf("error %v, cached %v", err, cached(p.entry))
	}
}

// TestGoBuildFails with the tool's own words.
func TestGoBuildFails(t *testing.T) {
	t.Setenv("GOPROXY", "off")
	t.Setenv("GOMODCACHE", t.TempDir())
	err := etcdRecipe().install(t.Context(), "3.7.3", site{dir: t.TempDir()})
	assertError(t, err, "go get go.etcd.io/etcd/server/v3@v3.7.3", "exit status 1", "GOPROXY=off")
}
