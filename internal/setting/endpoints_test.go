package setting

import (
	"slices"
	"strings"
	"testing"
)

func TestEndpoints(t *testing.T) {
	for _, test := range []struct {
		why, text string
		want      []string
	}{
		{"one", "localhost:2379", []string{"localhost:2379"}},
		{"commas", "a:1,b:2", []string{"a:1", "b:2"}},
		{"spaces", " a:1  b:2 ", []string{"a:1", "b:2"}},
		{"both, and one too many", "a:1, b:2,", []string{"a:1", "b:2"}},
		{"IPv4 and IPv6", "10.0.0.1:9042,[fe80::1%eth0]:9042", []string{"10.0.0.1:9042", "[fe80::1%eth0]:9042"}},
		{"names of containers and of DNS", "zk_1:2181 db-1.example.org.:2181", []string{"zk_1:2181", "db-1.example.org.:2181"}},
		{"the same host with two ports", "a:1,a:2", []string{"a:1", "a:2"}},
		{"the last port", "a:65535", []string{"a:65535"}},
	} {
		var got Endpoints
		if err := got.UnmarshalText([]byte(test.text)); err != nil || !slices.Equal(got, test.want) {
			t.Errorf("%s: %q is %q, %v, want %q", test.why, test.text, got, err, test.want)
		}
	}
}

func TestEndpointsRejects(t *testing.T) {
	for _, test := range []struct{ why, text, want string }{
		{"nothing", " , ", "the list is empty"},
		{"no port", "a", `"a" has no port`},
		{"no port in one of them", "a:1,10.0.0.1", `"10.0.0.1" has no port`},
		{"an empty port", "a:", `the port ""`},
		{"port 0", "a:0", `the port "0"`},
		{"a port by name", "a:http", `the port "http"`},
		{"a port too large", "a:65536", `the port "65536"`},
		{"a path", "zk:2181/root", `the port "2181/root"`},
		{"an IPv6 address without brackets", "::1:9042", "without brackets"},
		{"a URL", "http://a:2379", `"http://a:2379" has a scheme`},
		{"no host", ":9042", `the host ""`},
		{"no name and no address", "[a]b:1", "no port"},
		{"a host with a sign", "a=b:1", `the host "a=b"`},
		{"the same twice", "a:1,b:1,a:1", `"a:1" is there twice`},
		{"another separator", "a:1;b:2", `"a:1;b:2" has`},
	} {
		var got Endpoints
		if err := got.UnmarshalText([]byte(test.text)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %q: error %v, want %q in it", test.why, test.text, err, test.want)
		}
	}
}
