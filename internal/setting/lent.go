package setting

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

// The functions in this file turn what a tool is told into a setting of the
// suite. A text that may be secret is in none of their errors.

// when is "true" if value is true.
func when(value string, _ lendings) (string, error) { return ifTruth(value, true) }

// unless is "true" if value is false.
func unless(value string, _ lendings) (string, error) { return ifTruth(value, false) }

func ifTruth(value string, want bool) (string, error) {
	truth := false
	switch strings.ToLower(value) {
	case "1", "t", "true", "yes", "on":
		truth = true
	case "0", "f", "false", "no", "off":
	default:
		return "", fmt.Errorf("%q: want true or false", value)
	}
	if truth != want {
		return "", nil
	}
	return "true", nil
}

// userOf is the user of user:password.
func userOf(value string, _ lendings) (string, error) {
	user, _, _ := strings.Cut(value, ":")
	return user, nil
}

// passwordOf is the password of user:password, if there is one.
func passwordOf(value string, _ lendings) (string, error) {
	_, password, _ := strings.Cut(value, ":")
	return password, nil
}

// unlessTokenFile is the token, unless there is a file of it, which counts more.
func unlessTokenFile(value string, all lendings) (string, error) {
	if all["CONSUL_HTTP_TOKEN_FILE"].value != "" {
		return "", nil
	}
	return value, nil
}

// consulAddress is an agent's address. A missing port is that of HTTP or HTTPS, as
// Consul's tools have it, and CONSUL_HTTP_SSL counts more than http://.
func consulAddress(value string, all lendings) (string, error) {
	if strings.HasPrefix(value, "unix://") {
		return "", errors.New("a Unix socket is not supported; want the host:port of an agent")
	}
	a, err := parseAddress("consul", value)
	if err != nil {
		return "", err
	}
	if tls, err := when(all["CONSUL_HTTP_SSL"].value, all); err == nil && tls == "true" {
		a.scheme = "https"
	}
	if a.port == "" {
		a.port = map[bool]string{false: "80", true: "443"}[a.scheme == "https"]
	}
	return a.String(), nil
}

// cqlshAddress is the host with the port that cqlsh would connect to.
func cqlshAddress(host string, all lendings) (string, error) {
	a, err := parseAddress("cassandra", host)
	if err != nil || a.port != "" {
		return host, err
	}
	for _, name := range []string{"CQLSH_PORT", "cqlshrc [connection] port"} {
		if port := all[name]; port.value != "" {
			a.port = port.value
			if _, err := parseAddress("cassandra", a.String()); err != nil {
				return "", fmt.Errorf("with %s: %w", port.name, err)
			}
			break
		}
	}
	return a.String(), nil
}

// homePath is a path in which ~ is the home directory.
func homePath(path string, all lendings) (string, error) {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		return filepath.Join(all["HOME"].value, rest), nil
	}
	return path, nil
}

// hostCertificates is the file of authorities that a cqlshrc names for the hosts
// of the cluster. They must have the same: the suite has one setting for all.
func hostCertificates(_ string, all lendings) (string, error) {
	named, first := false, ""
	for i, text := range split(cmp.Or(all["CASSANDRA_ENDPOINTS"].value, all["CQLSH_HOST"].value)) {
		a, err := parseAddress("cassandra", text)
		if err != nil {
			return "", nil // which is said of the endpoints
		}
		file, ok := all["cqlshrc [certfiles] "+a.host]
		if !ok {
			file = all["cqlshrc [ssl] certfile"]
		}
		if i > 0 && file.value != first {
			return "", errors.New("the hosts of the cluster have different ones; set CASSANDRA_TLS_CA to a file with all of them")
		}
		named, first = named || ok, file.value
	}
	if !named {
		return "", nil
	}
	return homePath(first, all)
}
