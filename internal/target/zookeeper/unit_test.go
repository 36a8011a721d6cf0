package zookeeper

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"kvbench/internal/target"
)

func TestOpenUnreachable(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ep := ln.Addr().String()
	ln.Close()
	_, err = Open(t.Context(), config(ep, "t"))
	if !errors.Is(err, target.ErrUnavailable) || !strings.Contains(err.Error(), "zookeeper at "+ep) || !strings.Contains(err.Error(), "refused") {
		t.Errorf("open: %v; want an error that names zookeeper, %s and the refused connection", err, ep)
	}
}

// TestClientWithoutSession has servers that take connections and then say
// nothing, or hang up.
func TestClientWithoutSession(t *testing.T) {
	for _, test := range []struct {
		name   string
		accept func(net.Conn)
		want   error
	}{
		{"silent", func(net.Conn) {}, target.ErrTimeout},
		{"hangs up", func(c net.Conn) { c.Close() }, target.ErrUnavailable},
	} {
		t.Run(test.name, func(t *testing.T) {
			ln, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer ln.Close()
			go func() {
				for {
					conn, err := ln.Accept()
					if err != nil {
						return
					}
					defer conn.Close()
					test.accept(conn)
				}
			}()
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
			defer cancel()
			if _, err := Open(ctx, config(ln.Addr().String(), "t")); !errors.Is(err, test.want) {
				t.Errorf("open: %v, want %v", err, test.want)
			}
		})
	}
}

// TestChildrenWithoutConnection gets no stat from the library.
func TestChildrenWithoutConnection(t *testing.T) {
	config := config("127.0.0.1:1", "t")
	s, err := newSession(&config, config.Endpoints)
	if err != nil {
		t.Fatal(err)
	}
	s.kill()
	if n, err := children(s.conn, "/t"); n != 0 || !errors.Is(err, zk.ErrConnectionClosed) {
		t.Errorf("%d children, %v, want none and a closed connection", n, err)
	}
}

func TestSessionsTakeTurns(t *testing.T) {
	config := Config{Endpoints: []string{"a:1", "b:1", "c:1"}}
	for n, want := range []string{"a:1 b:1 c:1", "b:1 c:1 a:1", "c:1 a:1 b:1", "a:1 b:1 c:1"} {
		if got := strings.Join(newLink(&config, n).servers, " "); got != want {
			t.Errorf("session %d tries %s, want %s", n, got, want)
		}
	}
}

func TestRotation(t *testing.T) {
	vain := make(chan struct{}, 1)
	r := &rotation{servers: []string{"a", "b"}, vain: vain}
	for i, want := range []string{"a false", "b false", "a true", "b false", "a true"} {
		server, again := r.Next()
		if got := fmt.Sprint(server, " ", again); got != want {
			t.Errorf("try %d: %s, want %s", i, got, want)
		}
	}
	if len(vain) != 1 {
		t.Error("nobody was told that all servers were tried in vain")
	}
	r.Connected()
	if server, again := r.Next(); server != "b" || again {
		t.Errorf("after a connection: %s, %v; want b at once", server, again)
	}
}

func TestPaths(t *testing.T) {
	counts := make([]int, buckets)
	for n := range 100 * buckets {
		key := fmt.Appendf(nil, "user%d", n)
		path := string(appendPath(nil, "/n/t", key))
		if want := fmt.Sprintf("/n/t/%03x/%s", bucketOf(key), key); path != want {
			t.Fatalf("path %q, want %q", path, want)
		}
		counts[bucketOf(key)]++
	}
	for n, count := range counts {
		if count < 50 || count > 150 { // 100 expected, standard deviation 10
			t.Errorf("bucket %d has %d of %d rows, want about 100", n, count, 100*buckets)
		}
	}
}

func TestParseVersion(t *testing.T) {
	for _, test := range []struct {
		line, want string
		wrong      bool
	}{
		{"Zookeeper version: 3.9.5-0000, built on 2026-01-01 00:00 UTC\n", "3.9.5", false},
		{"Zookeeper version: 3.4.9-1757313, built on 08/23/2016 06:50 GMT\n", "3.4.9", false},
		{"srvr is not executed because it is not in the whitelist.\n", "", false},
		{"HTTP/1.1 400 Bad Request\n", "", true},
		{"", "", true},
	} {
		got, err := parseVersion("host:1", test.line)
		if got != test.want || (err != nil) != test.wrong {
			t.Errorf("version in %q: %q, %v, want %q", test.line, got, err, test.want)
		}
	}
}

func TestClasses(t *testing.T) {
	for _, test := range []struct{ err, want error }{
		{zk.ErrNoNode, target.ErrNotFound},
		{fmt.Errorf("create: %w", zk.ErrConnectionClosed), target.ErrUnavailable},
		{zk.ErrSessionExpired, target.ErrUnavailable},
		{zk.ErrNoAuth, target.ErrDenied},
		{errors.New("open: unknown error: -124"), target.ErrDenied},
		{errors.New("unknown error: -4"), nil},
		{zk.ErrInvalidACL, nil},
	} {
		if got := classOf(test.err); got != test.want {
			t.Errorf("class of %q: %v, want %v", test.err, got, test.want)
		}
	}
}

func TestBuffersAreNoLargerThanRequests(t *testing.T) {
	const most = 1000 + packetBytes
	for bytes, want := range map[int]int{0: most, 500: 500, most: most, 1 << 30: most} {
		c, err := Config{Endpoints: []string{"a:1"}, Namespace: "n", Table: "t", RequestBytes: 1000, BufferBytes: bytes}.withDefaults()
		if err != nil || c.BufferBytes != want {
			t.Errorf("buffers of %d bytes become %d, %v, want %d", bytes, c.BufferBytes, err, want)
		}
	}
}

// TestTooLargeIsNotSent needs no session.
func TestTooLargeIsNotSent(t *testing.T) {
	config, err := Config{Endpoints: []string{"127.0.0.1:1"}, Namespace: "n", Table: "t", RequestBytes: 4 << 10, BufferBytes: 1 << 20}.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	c := newClient(&config, newLink(&config, 0))
	for name, err := range map[string]error{
		"put":   c.Put(t.Context(), row("k", 4<<10)),
		"batch": c.PutBatch(t.Context(), []target.Row{row("a", 2<<10), row("b", 2<<10)}),
	} {
		if !errors.Is(err, target.ErrTooLarge) {
			t.Errorf("%s: %v, want ErrTooLarge", name, err)
		}
	}
}

func TestInvalidConfig(t *testing.T) {
	valid := Config{Endpoints: []string{"127.0.0.1:2181"}, Namespace: "n", Table: "t"}
	for _, test := range []struct {
		name   string
		change func(*Config)
		want   string
	}{
		{"no endpoints", func(c *Config) { c.Endpoints = nil }, "no endpoints"},
		{"no namespace", func(c *Config) { c.Namespace = "" }, `namespace ""`},
		{"no table", func(c *Config) { c.Table = "" }, `table ""`},
		{"a user with a colon", func(c *Config) { c.Login = login("a:b", "hunter2") }, `ZOOKEEPER_USER="a:b"`},
		{"more than one column", func(c *Config) { c.Columns = 8 }, "8 value columns"},
	} {
		t.Run(test.name, func(t *testing.T) {
			config := valid
			test.change(&config)
			if _, err := Open(t.Context(), config); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one with %q", err, test.want)
			}
		})
	}
}
