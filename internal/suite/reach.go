package suite

import (
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
