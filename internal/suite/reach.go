package suite

import (
	"net"
	"net/netip"
	"slices"

	"kvbench/internal/access"
	"kvbench/internal/cluster"
	"kvbench/internal/setting"
)

// A reach is how a client gets into a cluster. The zero value is for servers of
// ours: nobody asks who it is.
type reach struct {
	tls   *access.TLS
	login access.Login
	token access.Secret // Consul's
}

// overheard reports whether a secret is sent in clear to another machine.
func (r reach) overheard(endpoints []string) bool {
	if r.tls != nil || r.token.IsZero() && r.login.Password.IsZero() {
		return false
	}
	return slices.ContainsFunc(endpoints, func(endpoint string) bool {
		host, _, err := net.SplitHostPort(endpoint)
		address, unknown := netip.ParseAddr(host)
		return err == nil && host != "localhost" && (unknown != nil || !address.IsLoopback())
	})
}

// reachOf returns how the settings say that a named cluster is reached.
func (sys *System) reachOf(s *setting.Settings) (r reach, err error) {
	if !sys.named() {
		return reach{}, nil
	}
	if r.tls, r.login, err = s.Access(string(sys.Name)); err != nil {
		return r, err
	}
	if sys.Name == cluster.Consul {
		r.token, err = s.Token()
	}
	return r, err
}
