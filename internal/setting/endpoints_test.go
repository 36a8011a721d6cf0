package setting

import (
	"net"
	"net/netip"
	"slices"
	"strings"
	"testing"
)

func TestEndpoints(t *testing.T) {
	for _, test := range []struct {
		why, system, text string
		want              []string
	}{
		{"one", "etcd", "localhost:2379", []string{"localhost:2379"}},
		{"commas", "etcd", "a:1,b:2", []string{"a:1", "b:2"}},
		{"spaces", "etcd", " a:1  b:2 ", []string{"a:1", "b:2"}},
		{"lines", "etcd", "a:1\n\tb:2\r\n", []string{"a:1", "b:2"}},
		{"both, and one too many", "etcd", "a:1, b:2,", []string{"a:1", "b:2"}},
		{"IPv4 and IPv6", "scylla", "10.0.0.1:9042,[fe80::1%eth0]:9042", []string{"10.0.0.1:9042", "[fe80::1%eth0]:9042"}},
		{"names of containers and of DNS", "zookeeper", "zk_1:2181 db-1.example.org.:2181", []string{"zk_1:2181", "db-1.example.org.:2181"}},
		{"the same host with two ports", "etcd", "a:1,a:2", []string{"a:1", "a:2"}},
		{"the last port", "etcd", "a:65535", []string{"a:65535"}},
		{"CQL's port", "cassandra", "a,10.0.0.1", []string{"a:9042", "10.0.0.1:9042"}},
		{"YCQL's port", "yugabyte", "a", []string{"a:9042"}},
		{"etcd's port", "etcd", "a", []string{"a:2379"}},
		{"ZooKeeper's port", "zookeeper", "a b:2182", []string{"a:2181", "b:2182"}},
		{"Consul's port", "consul", "a", []string{"a:8500"}},
		{"Consul's port with TLS", "consul", "https://a https://b:1", []string{"a:8501", "b:1"}},
		{"IPv6 alone", "etcd", "::1", []string{"[::1]:2379"}},
		{"IPv6 in brackets", "etcd", "[::1]", []string{"[::1]:2379"}},
		{"IPv6 with a zone", "etcd", "fe80::1%eth0", []string{"[fe80::1%eth0]:2379"}},
		{"IPv6 that is long", "etcd", "0:0:0:0:0:0:0:1", []string{"[::1]:2379"}},
		{"URLs", "etcd", "http://a:2379/ http://[::1]", []string{"a:2379", "[::1]:2379"}},
		{"TLS", "etcd", "https://a,HTTPS://b:1", []string{"a:2379", "b:1"}},
		{"capitals are the same name", "etcd", "DB1.Example", []string{"db1.example:2379"}},
		{"a root that is none", "zookeeper", "a:2181/", []string{"a:2181"}},
	} {
		s, err := Load([]string{Prefix(test.system) + "_ENDPOINTS=" + test.text})
		if err != nil {
			t.Errorf("%s: %v", test.why, err)
		} else if got := s.System(test.system).Endpoints; !slices.Equal(got, test.want) {
			t.Errorf("%s: %q is %q, want %q", test.why, test.text, got, test.want)
		}
	}
}

func TestEndpointsRejects(t *testing.T) {
	for _, test := range []struct{ why, system, text, want string }{
		{"nothing", "etcd", " , ", "the list is empty"},
		{"an empty port", "etcd", "a:", `"a:" has the port ""`},
		{"port 0", "etcd", "a:0", `the port "0"`},
		{"a port by name", "etcd", "a:http", `the port "http"`},
		{"a port too large", "etcd", "a:65536", `the port "65536"`},
		{"a chroot", "zookeeper", "a:2181,b:2181/root", `"b:2181/root" has a chroot, which isn't supported; BENCH_NAMESPACE names the znode`},
		{"a path", "consul", "http://a:8500/consul", `"http://a:8500/consul" has a path`},
		{"an IPv6 address that ends like a port", "cassandra", "::1:9042", `"::1:9042" may be an address or one with a port`},
		{"a port that no address ends with", "etcd", "::1:23790", "no name and no address"},
		{"a URL", "cassandra", "http://a:9042", `"http://a:9042" has a scheme that isn't supported`},
		{"a socket", "etcd", "unix:///run/etcd", "a scheme"},
		{"no host", "etcd", ":2379", `the host ""`},
		{"a URL of nothing", "etcd", "https://", `the host ""`},
		{"no name and no address", "etcd", "[a]b:1", "no host:port"},
		{"brackets around a name", "etcd", "[a]:1", `the host "a"`},
		{"brackets around IPv4", "etcd", "[10.0.0.1]:1", `"10.0.0.1" in brackets`},
		{"a zone with a sign", "etcd", "fe80::1%]", `the zone "]"`},
		{"a host with a sign", "etcd", "a=b:1", `the host "a=b"`},
		{"the same twice", "etcd", "a:1,b:1,a:1", `"a:1" is there twice`},
		{"the same with its port", "etcd", "a,a:2379", `"a:2379" is there twice`},
		{"the same in other words", "etcd", "[::1] 0::1", `"[::1]:2379" is there twice`},
		{"another separator", "etcd", "a:1;b:2", `the host "a:1;b:2"`},
		{"two schemes", "etcd", "https://a,http://b", "the schemes differ"},
		{"a scheme for one", "etcd", "https://a,b", "the schemes differ"},
	} {
		_, err := Load([]string{Prefix(test.system) + "_ENDPOINTS=" + test.text})
		if err == nil || !strings.Contains(err.Error(), test.want) || !strings.HasPrefix(err.Error(), Prefix(test.system)+"_ENDPOINTS=") {
			t.Errorf("%s: %q: error %v, want %q in it", test.why, test.text, err, test.want)
		}
	}
}

func TestPasswordsInEndpointsAreNotShown(t *testing.T) {
	_, err := Load([]string{"ETCD_ENDPOINTS=https://me:hunter2@a:2379"})
	if err == nil || strings.Contains(err.Error(), "hunter2") || !strings.HasPrefix(err.Error(), "ETCD_ENDPOINTS: there is an @ in it; set ETCD_USER and ETCD_PASSWORD") {
		t.Error(err)
	}
	_, err = Load([]string{"CASSANDRA_ENDPOINTS=a", "CASSANDRA_TRANSLATE=me:hunter2@a:1=b:2"})
	if err == nil || strings.Contains(err.Error(), "hunter2") || !strings.HasPrefix(err.Error(), "CASSANDRA_TRANSLATE: there is an @ in it") {
		t.Error(err)
	}
}

// Whatever is taken for a list of endpoints is a list of different host:port that
// can be read again and then is the same.
func FuzzEndpoints(f *testing.F) {
	for _, text := range []string{
		"a", "a:1,b:2", "10.0.0.1", "::1", "[::1]:2379", "fe80::1%eth0", "https://a/ https://b:1", "a:2181/root", "a@b", "unix:///x", "a,a:9042",
		"[", "]:1", "[]:1", ":", "::", "a::b", "http://", "://", "%:1", "[::%1]:1", "\x00", "ﬀ:1", "a\u00a0b", "::ffff:10.0.0.1", "::%]",
	} {
		for i := range systems {
			f.Add(uint(i), text)
		}
	}
	f.Fuzz(func(t *testing.T, i uint, text string) {
		system := systems[i%uint(len(systems))]
		read := func(text string) (Endpoints, error) {
			list, err := parseAddresses(system, split(text))
			if err != nil {
				return nil, err
			}
			return hostPorts(system, list, false)
		}
		got, err := read(text)
		if err != nil {
			return
		}
		for _, endpoint := range got {
			host, port, err := net.SplitHostPort(endpoint)
			if _, ipErr := netip.ParseAddr(host); err != nil || port == "" || ipErr != nil && !hostName.MatchString(host) {
				t.Errorf("%q has the endpoint %q: %v", text, endpoint, err)
			}
		}
		if again, err := read(strings.Join(got, ",")); err != nil || !slices.Equal(again, got) {
			t.Errorf("%q is %q, and that is %q, %v", text, got, again, err)
		}
	})
}
