package setting

import (
	"fmt"
	"strings"
)

// reach completes a system's endpoints and decides on its TLS, and checks what
// else is for its cluster. Without endpoints nothing may be: a password for
// servers that the suite starts is a mistake.
func (s *Settings) reach(name string) []error {
	if len(s.System(name).Endpoints) == 0 {
		return s.checkNoCluster(name)
	}
	if err := s.complete(name); err != nil {
		return []error{s.Explain(err)}
	}
	return s.checkAccess(name)
}

// checkNoCluster returns an error for each setting of a system that is for a
// cluster. Two of Consul's are also its own tools' and set for them: they are
// forgotten.
func (s *Settings) checkNoCluster(name string) (errs []error) {
	if name == "consul" {
		s.Consul.ServerName, s.Consul.Partition = "", ""
	}
	for _, f := range fields(s) {
		set := !f.value.IsZero() && fmt.Sprint(f.value) != f.tag.Get("envDefault")
		if set && f.tag.Get("needs") == "endpoints" && systemOf(f.name) == name {
			errs = append(errs, fmt.Errorf("%s: it is for a cluster, and %s_ENDPOINTS names none", f.name, Prefix(name)))
		}
	}
	return errs
}

// complete turns the endpoints of a system into host:port, and its TLS from auto
// to true or false.
func (s *Settings) complete(name string) error {
	own, given := s.system(name), strings.Join(s.System(name).Endpoints, ",")
	list, err := parseAddresses(name, own.Endpoints)
	if err != nil { // Load has checked it
		return fmt.Errorf("%s_ENDPOINTS: %w", Prefix(name), err)
	}
	scheme, err := schemeOf(list)
	if err == nil {
		err = own.decideTLS(Prefix(name), scheme)
	}
	if err == nil {
		own.Endpoints, err = hostPorts(name, list, own.TLS == "true")
	}
	if err != nil {
		return fmt.Errorf("%s_ENDPOINTS=%q: %w", Prefix(name), given, err)
	}
	return nil
}

// decideTLS turns TLS from auto to true or false. The scheme of the endpoints and
// the other settings must agree.
func (y *System) decideTLS(prefix, scheme string) error {
	why := y.wantsTLS()
	switch {
	case why != "" && y.TLS == "false":
		return detail(fmt.Sprintf("%s_TLS=false, but %[1]s_%s is set", prefix, why))
	case scheme == "https" && y.TLS == "false":
		return detail(fmt.Sprintf("https://, but %s_TLS=false", prefix))
	case scheme == "http" && y.TLS == "true":
		return detail(fmt.Sprintf("http://, but %s_TLS=true", prefix))
	case scheme == "http" && why != "":
		return detail(fmt.Sprintf("http://, but %s_%s is set", prefix, why))
	}
	if y.TLS == "auto" {
		y.TLS = fmt.Sprint(scheme == "https" || why != "")
	}
	return nil
}

// wantsTLS returns the setting that makes sense with TLS only, if there is one.
func (y *System) wantsTLS() string {
	for _, set := range []struct {
		name string
		is   bool
	}{
		{"TLS_CA", y.CA != ""}, {"TLS_CERT", y.Cert != ""}, {"TLS_KEY", y.Key != ""},
		{"TLS_SERVER_NAME", y.ServerName != ""}, {"TLS_INSECURE", y.Insecure},
	} {
		if set.is {
			return set.name
		}
	}
	return ""
}
