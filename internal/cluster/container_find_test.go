package cluster

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"path/filepath"
	"strings"
	"testing"
)

// Tests of what Find does about containers that can't be had.

// TestFindWithoutEngine: what was named is an error, what the suite would choose
// is passed over with a notice.
func TestFindWithoutEngine(t *testing.T) {
	t.Setenv("DOCKER_HOST", "unix://"+filepath.Join(t.TempDir(), "none.sock"))
	t.Setenv("HOME", t.TempDir()) // no settings of testcontainers'
	const engine, start = "no Docker engine answers", "start a Docker engine, or set DOCKER_HOST to one"
	for _, tt := range []struct {
		sentence string
		spec     Spec
		skip     bool // the error is one for a skip
		want     []string
	}{
		{"only containers will do", Spec{System: Etcd, Force: "container"}, false, []string{`BENCH_SERVERS "container": etcd`, engine, start}},
		{"an image was named", Spec{System: Etcd, Image: "mine/etcd:3.7.3"}, false, []string{`ETCD_IMAGE "mine/etcd:3.7.3"`, engine, start}},
		{"there are no processes either", Spec{System: Scylla}, true, []string{"set SCYLLA_ENDPOINTS", engine, start}},
	} {
		tt.spec.Ready = at(dial)
		_, err := Find(t.Context(), tt.spec)
		assertError(t, err, tt.want...)
		if errors.Is(err, ErrNone) != tt.skip {
			t.Errorf("%s: %v: wraps ErrNone: %v, want %v", tt.sentence, err, !tt.skip, tt.skip)
		}
		if strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: more than a line: %v", tt.sentence, err)
		}
	}
	src, err := Find(t.Context(), Spec{System: Etcd, Ready: at(dial)})
	if errors.Is(err, ErrNone) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	if n := src.Notice(); src.Kind() != "process" || !strings.HasPrefix(n, engine) || !strings.HasSuffix(n, "processes are used") {
		t.Errorf("source %q, notice %q", src.Kind(), n)
	}
	if src, err := Find(t.Context(), Spec{System: Etcd, Force: "process", Ready: at(dial)}); err != nil || src.Notice() != "" {
		t.Errorf("processes that were asked for: notice %q, error %v", src.Notice(), err)
	}
}

// TestFindWithoutImage is about an engine that is there, and an image that isn't:
// its registry is nobody's.
func TestFindWithoutImage(t *testing.T) {
	const missing = "registry.invalid/etcd:3.7.3"
	spec := Spec{System: Etcd, Image: missing, Ready: at(dial)}
	_, err := findContainers(t.Context(), spec)
	if errors.Is(err, errNoEngine) {
		t.Skipf("%v: %s", err, Etcd.cure(err))
	}
	assertError(t, err, "no image "+missing+": ")
	_, err = Find(t.Context(), spec)
	assertError(t, err, `ETCD_IMAGE "`+missing+`": no image `+missing, "docker pull")
	if errors.Is(err, ErrNone) {
		t.Errorf("%v wraps ErrNone: a wrong setting would be a skip", err)
	}
	for want, spec := range map[string]Spec{
		`ETCD_VERSION "99.9.9": no image `:               {System: Etcd, Version: "99.9.9", Force: "container", Ready: at(dial)},
		`BENCH_CPUS "1000": the Docker engine has only `: {System: Etcd, CPUs: 1000, Ready: at(dial)},
	} {
		_, err := Find(t.Context(), spec)
		assertError(t, err, want)
		if errors.Is(err, ErrNone) {
			t.Errorf("%v wraps ErrNone: a wrong setting would be a skip", err)
		}
	}
	src, err := findProcessAfter(Spec{System: Etcd, Ready: at(dial)}, err)
	if errors.Is(err, ErrNone) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	if n := src.Notice(); !strings.Contains(n, "no image "+missing) {
		t.Errorf("notice %q", n)
	}
}

// TestFindEndsWithContext: an engine that never answers holds nobody up who has
// given up.
func TestFindEndsWithContext(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "engine.sock")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	t.Setenv("DOCKER_HOST", "unix://"+socket)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("out of patience"))
	_, err = Find(ctx, Spec{System: Etcd, Ready: at(dial)})
	assertError(t, err, "out of patience")
	if errors.Is(err, ErrNone) {
		t.Errorf("%v wraps ErrNone: whoever gives up would be told that there are no servers", err)
	}
	// Whoever doesn't is told in the end.
	_, err = Find(t.Context(), Spec{System: Etcd, Force: "container", Ready: at(dial)})
	assertError(t, err, "no Docker engine answers", "nothing heard of it within 10s")
}

func TestPublished(t *testing.T) {
	gateway := netip.MustParseAddr("172.18.0.1")
	own := []netip.Addr{netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("10.0.0.7")}
	for _, tt := range []struct {
		sentence string
		vantage  vantage
		host, at string
		err      string
	}{
		{"an engine on this machine publishes at loopback", vantage{engine: "unix:///var/run/docker.sock", own: own, gateway: gateway}, "127.0.0.1", "127.0.0.1", ""},
		{"one in a virtual machine of a laptop, too", vantage{engine: "npipe:////./pipe/docker_engine", own: own, gateway: gateway}, "127.0.0.1", "127.0.0.1", ""},
		{"the engine's host may look like a container", vantage{engine: "unix:///var/run/docker.sock", inContainer: true, own: append(own, gateway), gateway: gateway}, "127.0.0.1", "127.0.0.1", ""},
		{"a container beside ours reaches them by the gateway", vantage{engine: "unix:///var/run/docker.sock", inContainer: true, own: own, gateway: gateway}, "172.18.0.1", "172.18.0.1", ""},
		{"a remote engine's host", vantage{engine: "tcp://db7:2376", own: own, gateway: gateway}, "db7", "0.0.0.0", ""},
		{"an engine at a port of loopback", vantage{engine: "tcp://localhost:2375", own: own, gateway: gateway}, "127.0.0.1", "127.0.0.1", ""},
		{"the user knows better", vantage{override: "10.0.0.1", engine: "unix:///var/run/docker.sock", inContainer: true, own: own, gateway: gateway}, "10.0.0.1", "0.0.0.0", ""},
		{"an engine that is somewhere", vantage{engine: "ssh://db7", own: own, gateway: gateway}, "", "invalid IP", "set TESTCONTAINERS_HOST_OVERRIDE"},
	} {
		host, at, err := tt.vantage.published()
		if host != tt.host || at.String() != tt.at {
			t.Errorf("%s: host %q, published at %v; want %q, %s", tt.sentence, host, at, tt.host, tt.at)
		}
		if tt.err != "" {
			assertError(t, err, tt.err)
		} else if err != nil {
			t.Errorf("%s: %v", tt.sentence, err)
		}
	}
}
