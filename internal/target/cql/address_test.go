package cql

import (
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gocql/gocql"

	"kvbench/internal/access"
)

func TestAddressesAreTranslated(t *testing.T) {
	c := Config{Dialect: Cassandra(), Endpoints: []string{"127.0.0.1:32768", "localhost:32769"}, Translate: map[string]string{
		"172.17.0.2:9042": "127.0.0.1:32768",
		"172.17.0.3:9042": "localhost:32769",
		"[fd00::4]:9042":  "[::1]:32770",
	}}
	for _, test := range []struct {
		node string
		port int
		want string
	}{
		{"172.17.0.2", 9042, "127.0.0.1:32768"},
		{"172.17.0.3", 9042, "localhost:32769"},
		{"fd00::4", 9042, "[::1]:32770"},
		{"172.17.0.2", 32768, "127.0.0.1:32768"}, // the driver takes the port of the connection
		{"172.17.0.9", 9042, "172.17.0.9:9042"},  // not in the map
	} {
		if got := c.reach(net.ParseIP(test.node), test.port); got != test.want {
			t.Errorf("%s, port %d: got %s, want %s", test.node, test.port, got, test.want)
		}
	}
	if got := c.nodePort(); got != 9042 {
		t.Errorf("nodes expect clients at %d, want 9042", got)
	}
	// The driver tells nodes apart by their addresses alone.
	names := map[string]string{}
	if got, err := c.resolve(t.Context(), names); err != nil || !slices.Equal(got, []string{"172.17.0.2:9042", "172.17.0.3:9042"}) || len(names) > 0 {
		t.Errorf("the endpoints are %q to the driver, names %q, error %v; want what nodes know", got, names, err)
	}
}

// A node whose name is wrong would be missing silently, as if it were down.
func TestTranslationToNobody(t *testing.T) {
	d := newDialer(Config{Dialect: Cassandra(), Timeout: time.Minute, Translate: map[string]string{"172.17.0.5:9042": "no-such-host.invalid:1"}})
	_, err := d.DialHost(t.Context(), new(gocql.HostInfo).SetConnectAddress(net.ParseIP("172.17.0.5")))
	if why := d.reason(nil); err == nil || why == nil || !strings.Contains(why.Error(), "no-such-host.invalid:1: ") {
		t.Errorf("error %v, because of %v", err, why)
	}
}

// Where an endpoint is a name, its server has to prove to have it.
func TestNamesOfEndpointsAreKept(t *testing.T) {
	names := map[string]string{}
	c := Config{Dialect: Cassandra(), Endpoints: []string{"localhost:9042", "127.0.0.2:9042"}}
	addrs, err := c.resolve(t.Context(), names)
	if err != nil || !slices.Contains(addrs, "127.0.0.1:9042") || !slices.Contains(addrs, "127.0.0.2:9042") {
		t.Fatalf("addresses %q, error %v", addrs, err)
	}
	if names["127.0.0.1:9042"] != "localhost:9042" || names["127.0.0.2:9042"] != "127.0.0.2:9042" {
		t.Errorf("names: %v", names)
	}
}

func TestEndpointsAreOfOneDataCenter(t *testing.T) {
	peers := []peer{{"10.0.0.2:9042", "east", "a"}, {"10.0.0.3:9042", "west", "a"}}
	for _, test := range []struct {
		sentence string
		dialect  Dialect
		want     string // data center that is asked for
		named    []string
		err      string // part of the error; "": none
	}{
		{"nothing asked for", Cassandra(), "", []string{"10.0.0.1:9042", "10.0.0.2:9042"}, ""},
		{"theirs asked for", Yugabyte(), "east", []string{"10.0.0.1:9042"}, ""},
		{"another asked for", Yugabyte(), "west", []string{"10.0.0.1:9042"}, `YUGABYTE_DATACENTER="west": the endpoints are in data center "east"; the cluster has ["east" "west"]`},
		{"one that isn't there", Scylla(), "mars", []string{"10.0.0.1:9042"}, `SCYLLA_DATACENTER="mars": the endpoints are in data center "east"`},
		{"endpoints in two", Cassandra(), "east", []string{"10.0.0.1:9042", "10.0.0.3:9042"},
			`CASSANDRA_ENDPOINTS="10.0.0.1:9042,10.0.0.3:9042": "10.0.0.3:9042" is in data center "west", another endpoint in "east"`},
	} {
		c := Config{Dialect: test.dialect, DataCenter: test.want, Endpoints: test.named}
		err := c.checkDataCenter("east", peers, test.named)
		if test.err == "" && err != nil || test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)) {
			t.Errorf("%s: error %v, want %q", test.sentence, err, test.err)
		}
	}
}

func TestKeyspacesOfTheServers(t *testing.T) {
	for _, test := range []struct {
		dialect  Dialect
		keyspace string
		want     bool
	}{
		{Cassandra(), "system", true},
		{Cassandra(), "system_virtual_schema", true},
		{Scylla(), "system_distributed_everywhere", true},
		{Scylla(), "audit", true},
		{Cassandra(), "audit", false},
		{Yugabyte(), "system_auth", true},
		{Cassandra(), "systems", false},
		{Cassandra(), "orders", false},
	} {
		if got := test.dialect.isSystem(test.keyspace); got != test.want {
			t.Errorf("%s: keyspace %q is the servers' own: %v, want %v", test.dialect.System, test.keyspace, got, test.want)
		}
	}
}

// The password is sent once, whatever the server calls its authenticator.
func TestPassword(t *testing.T) {
	p := password{login: access.Login{User: "bench", Password: access.NewSecret("word")}}
	for _, class := range []string{"org.apache.cassandra.auth.PasswordAuthenticator", "com.example.Directory"} {
		message, next, err := p.Challenge([]byte(class))
		if err != nil || string(message) != "\x00bench\x00word" {
			t.Fatalf("%s: message %q, error %v", class, message, err)
		}
		if err := next.Success(nil); err != nil {
			t.Errorf("%s: accepted: %v", class, err)
		}
		if again, _, err := next.Challenge([]byte("more")); err == nil {
			t.Errorf("%s: asked for more it says %q, want an error", class, again)
		}
	}
}
