package etcd

import (
	"bufio"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"kvbench/internal/access/accesstest"
	"kvbench/internal/cluster"
	"kvbench/internal/record"
	"kvbench/internal/target"
)

// withUsers starts a server with the flags, whose users are those of [newUsers]. It
// returns the configuration of the user bench, and what gives users passwords.
func withUsers(t *testing.T, flags ...string) (bench Config, setPassword func(user, password string)) {
	t.Helper()
	c := start(t, cluster.Spec{
		Ready: servers.Spec.Ready,
		Customize: func(_ int, _ string, argv []string) ([]string, error) {
			return append(append(argv, "--bcrypt-cost", "4"), flags...), nil
		},
	})
	bench = config(c.Servers[0].Endpoint, "login")
	root := newUsers(t, bench)
	bench.Owned, bench.Login = false, as("bench", "secret")
	return bench, func(user, password string) {
		if _, err := root.UserChangePassword(t.Context(), user, password); err != nil {
			t.Error(err)
		}
	}
}

// logins returns how often the server has been asked for a token.
func logins(t *testing.T, config Config) int {
	t.Helper()
	resp, err := http.Get("http://" + config.Endpoints[0] + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		line := lines.Text()
		if strings.HasPrefix(line, "grpc_server_started_total{") && strings.Contains(line, `"Authenticate"`) {
			n, err := strconv.Atoi(line[strings.LastIndex(line, " ")+1:])
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
	}
	t.Fatal("the server does not count logins")
	return 0
}

// clients returns so many clients of a new store with two connections.
func clients(t *testing.T, config Config, n int) []target.Client {
	t.Helper()
	config.Conns = 2
	store := open(t, config)
	t.Cleanup(func() { store.Close() })
	all := make([]target.Client, n)
	for i := range all {
		c, err := store.Client(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		all[i] = c
	}
	return all
}

// together has all clients do an operation at once, and returns what failed.
func together(all []target.Client, do func(i int, c target.Client) error) error {
	errs := make([]error, len(all))
	var wg sync.WaitGroup
	for i, c := range all {
		wg.Go(func() { errs[i] = do(i, c) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

func TestLoginOnceForAllConnections(t *testing.T) {
	config, setPassword := withUsers(t)
	before := logins(t, config)
	all := clients(t, config, 50)
	put := func(i int, c target.Client) error { return c.Put(t.Context(), row(fmt.Sprint(i), 1)) }
	if err := together(all, put); err != nil {
		t.Fatal(err)
	}
	if n := logins(t, config) - before; n != 1 {
		t.Errorf("%d logins for two connections, want 1", n)
	}
	for _, get := range []bool{false, true} {
		before = logins(t, config)
		setPassword("bench", "secret") // as it was; the tokens are void nevertheless
		err := together(all, func(i int, c target.Client) error {
			if get {
				return c.Get(t.Context(), row(fmt.Sprint(i), 1))
			}
			return put(i, c)
		})
		if n := logins(t, config) - before; err != nil || n != 1 {
			t.Errorf("void tokens: get %v: %v, %d logins of 50 clients, want 1", get, err, n)
		}
	}
}

// TestPasswordThatChanges wants an error that says so, and no more than one
// question for a token with a password that was wrong.
func TestPasswordThatChanges(t *testing.T) {
	config, setPassword := withUsers(t)
	all := clients(t, config, 50)
	before := logins(t, config)
	setPassword("bench", "another")
	for range 2 {
		for _, c := range all {
			err := c.Put(t.Context(), row("k", 1))
			if !errors.Is(err, target.ErrDenied) || !strings.Contains(err.Error(), "invalid user ID or password") || target.ClassOf(err) != record.Other {
				t.Fatalf("got %v, want that the password was denied", err)
			}
		}
	}
	if n := logins(t, config) - before; n != 1 {
		t.Errorf("%d logins with a wrong password, want 1", n)
	}
}

// TestIdleTokenExpires waits until the server forgets a token that nobody uses.
func TestIdleTokenExpires(t *testing.T) {
	config, _ := withUsers(t, "--auth-token-ttl", "1")
	all := clients(t, config, 50)
	before := logins(t, config)
	put := func(i int, c target.Client) error { return c.Put(t.Context(), row(fmt.Sprint(i), 1)) }
	for logins(t, config) == before {
		time.Sleep(3 * time.Second)
		if err := together(all, put); err != nil {
			t.Fatal(err)
		}
	}
	if n := logins(t, config) - before; n > 2 { // each connection may have found out at its time
		t.Errorf("%d logins of 50 clients on 2 connections", n)
	}
}

// TestTokensThatExpireUnderLoad has tokens that are good for two to three seconds,
// however much they are used, and become void when an administrator changes anything.
func TestTokensThatExpireUnderLoad(t *testing.T) {
	key := accesstest.NewAuthority(t).Client(t, "signer")
	config, setPassword := withUsers(t, "--auth-token", "jwt,sign-method=ES256,ttl=3s,pub-key="+key.Cert+",priv-key="+key.Key)
	all := clients(t, config, 100)
	before := logins(t, config)
	var done atomic.Int64
	changes, next, end := 0, int64(2000), time.Now().Add(10*time.Second)
	err := together(all, func(i int, c target.Client) error {
		r := row(fmt.Sprint(i), 100)
		for time.Now().Before(end) {
			if err := c.Put(t.Context(), r); err != nil {
				return fmt.Errorf("put: %w", err)
			}
			if err := c.Get(t.Context(), r); err != nil {
				return fmt.Errorf("get: %w", err)
			}
			if i == 0 && done.Load() >= next && changes < 5 {
				setPassword("guest", "guest")
				setPassword("guest", "guest")
				changes, next = changes+1, done.Load()+2000
			}
			done.Add(1)
		}
		return nil
	})
	n := logins(t, config) - before
	t.Logf("%d puts and as many gets, %d double changes of users, %d logins", done.Load(), changes, n)
	if err != nil {
		t.Error(err)
	}
	if n < 2 || n > 50 {
		t.Errorf("%d logins of 100 clients: tokens didn't expire, or all clients ask for their own", n)
	}
}
