package setting

import (
	"fmt"

	"kvbench/internal/access"
)

// Access returns how to reach the servers of the system called name: TLS, nil if
// it is off, and a login, nobody's if there is none. Both are for a cluster that
// is named by endpoints; servers that the suite starts want neither.
//
// It reads the files that the settings name. What is wrong with them [Load] has
// already said, unless they have changed since.
func (s *Settings) Access(name string) (*access.TLS, access.Login, error) {
	prefix, own := Prefix(name), s.System(name)
	if len(own.Endpoints) == 0 {
		return nil, access.Login{}, nil
	}
	password, err := secret(prefix, "PASSWORD", own.Password, own.PasswordFile)
	if err != nil {
		return nil, access.Login{}, s.Explain(err)
	}
	login := access.Login{User: own.User, Password: password}
	if own.TLS != "true" {
		return nil, login, nil
	}
	t, err := access.New(access.Options{
		Prefix: prefix, CA: own.CA, Cert: own.Cert, Key: own.Key, ServerName: own.ServerName, Insecure: own.Insecure,
	})
	return t, login, s.Explain(err)
}

// Token returns the ACL token for a Consul cluster that is named by endpoints. It
// is empty if there is none.
func (s *Settings) Token() (access.Secret, error) {
	if len(s.Consul.Endpoints) == 0 {
		return access.Secret{}, nil
	}
	token, err := secret("CONSUL", "TOKEN", s.Consul.Token, s.Consul.TokenFile)
	return token, s.Explain(err)
}

// secret returns a secret that is set itself or as a file.
func secret(prefix, name string, value access.Secret, file string) (access.Secret, error) {
	name = prefix + "_" + name
	switch {
	case file == "":
		return value, nil
	case !value.IsZero():
		return access.Secret{}, fmt.Errorf("%s and %s_FILE: both are set, want one", name, name)
	}
	return access.ReadSecret(name+"_FILE", file)
}

// checkAccess returns what doesn't go together in a system's login and TLS
// settings, and what is wrong with their files.
func (s *Settings) checkAccess(name string) []error {
	prefix, own := Prefix(name), s.System(name)
	var errs []error
	switch hasPassword := !own.Password.IsZero(); {
	case hasPassword && own.User == "":
		errs = append(errs, s.Explain(fmt.Errorf("%s_PASSWORD: whose? Set %[1]s_USER too", prefix)))
	case own.PasswordFile != "" && own.User == "":
		errs = append(errs, s.Explain(fmt.Errorf("%s_PASSWORD_FILE=%q: whose? Set %[1]s_USER too", prefix, own.PasswordFile)))
	case !hasPassword && own.PasswordFile == "" && own.User != "" && name != "consul": // where it is HTTP's, which may go without
		errs = append(errs, s.Explain(fmt.Errorf("%s_USER=%q: set %[1]s_PASSWORD or %[1]s_PASSWORD_FILE too", prefix, own.User)))
	}
	if own.Insecure && own.CA != "" {
		errs = append(errs, s.Explain(fmt.Errorf("%s_TLS_CA=%q: nothing is verified with %[1]s_TLS_INSECURE=true; want one of them", prefix, own.CA)))
	}
	_, _, err := s.Access(name)
	errs = append(errs, err)
	if name == "consul" {
		_, err := s.Token()
		errs = append(errs, err)
	}
	return errs
}
