package setting

import (
	"fmt"
	"net"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Endpoints are the addresses of servers, each a host:port with an IPv6 host in
// brackets.
//
// They may be set without ports, which are then the system's usual one, with IPv6
// hosts without brackets and, for systems that speak HTTP, as URLs: https:// says
// that servers speak TLS, http:// that they don't. [Load] completes them.
type Endpoints []string

// hostName is more than RFC 1123 allows: underscores occur in container networks.
var hostName = regexp.MustCompile(`^[0-9A-Za-z]([0-9A-Za-z._-]*[0-9A-Za-z])?\.?$`)

// UnmarshalText takes a list apart. What its parts are depends on the system and
// on its other settings, see [hostPorts].
func (e *Endpoints) UnmarshalText(text []byte) error {
	*e = split(string(text))
	if len(*e) == 0 {
		return detail("the list is empty")
	}
	return nil
}

// An address is one part of a list of endpoints.
type address struct {
	scheme string // http, https or ""
	host   string // without brackets
	port   string // or ""
}

// String is the address as it can be parsed.
func (a address) String() string {
	text := a.host
	if a.port != "" {
		text = net.JoinHostPort(a.host, a.port)
	}
	if a.scheme != "" {
		text = a.scheme + "://" + text
	}
	return text
}

// ports are the ports of systems: without TLS, and with it.
func ports(system string) [2]string {
	switch system {
	case "etcd":
		return [2]string{"2379", "2379"}
	case "zookeeper":
		return [2]string{"2181", "2181"}
	case "consul":
		return [2]string{"8500", "8501"}
	}
	return [2]string{"9042", "9042"}
}

// parseAddresses takes the parts of a system's list of endpoints.
func parseAddresses(system string, parts []string) ([]address, error) {
	var list []address
	for _, text := range parts {
		a, err := parseAddress(system, text)
		if err != nil {
			return nil, err
		}
		list = append(list, a)
	}
	return list, nil
}

// parseAddress takes a part of a system's list of endpoints. Errors don't show
// what may be a password.
func parseAddress(system, text string) (a address, err error) {
	if strings.Contains(text, "@") {
		return a, detail(fmt.Sprintf("there is an @ in it; set %s_USER and %[1]s_PASSWORD", Prefix(system)))
	}
	rest := text
	if scheme, after, ok := strings.Cut(text, "://"); ok {
		if a.scheme = strings.ToLower(scheme); !allowsScheme(system, a.scheme) {
			return a, detail(fmt.Sprintf("%q has a scheme that isn't supported", text))
		}
		rest = after
	}
	rest, path, ok := strings.Cut(rest, "/")
	switch {
	case ok && path != "" && system == "zookeeper":
		return a, detail(fmt.Sprintf("%q has a chroot, which isn't supported; BENCH_NAMESPACE names the znode to write to", text))
	case ok && path != "":
		return a, detail(fmt.Sprintf("%q has a path", text))
	}
	wrong := ""
	if a.host, a.port, wrong = splitHostPort(system, rest); wrong != "" {
		return a, detail(fmt.Sprintf("%q %s", text, wrong))
	}
	return a, nil
}

// allowsScheme reports whether a system's addresses may be such URLs.
func allowsScheme(system, scheme string) bool {
	return (system == "etcd" || system == "consul") && (scheme == "http" || scheme == "https")
}

// splitHostPort returns a host in its usual form and a port, if there is one, or
// says what is wrong with them.
func splitHostPort(system, text string) (host, port, wrong string) {
	host = text
	switch colons := strings.Count(text, ":"); {
	case strings.HasPrefix(text, "[") && strings.HasSuffix(text, "]"):
		host = text[1 : len(text)-1]
	case strings.HasPrefix(text, "[") || colons == 1:
		var err error
		if host, port, err = net.SplitHostPort(text); err != nil {
			return "", "", "is no host:port"
		}
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil || n == 0 {
			return "", "", fmt.Sprintf("has the port %q, not one from 1 to 65535", port)
		}
		port = strconv.FormatUint(n, 10)
	case colons > 1 && endsWithPort(system, text):
		return "", "", "may be an address or one with a port: put the address in brackets"
	}
	ip, err := netip.ParseAddr(host)
	switch {
	case err == nil && ip.Zone() != "" && !hostName.MatchString(ip.Zone()): // netip takes anything
		return "", "", fmt.Sprintf("has the zone %q, which is no name", ip.Zone())
	case err == nil && strings.HasPrefix(text, "[") && !ip.Is6():
		return "", "", fmt.Sprintf("has %q in brackets, which is no IPv6 address", host)
	case err == nil:
		return ip.String(), port, ""
	case strings.HasPrefix(text, "[") || !hostName.MatchString(host):
		return "", "", fmt.Sprintf("has the host %q, which is no name and no address", host)
	}
	return strings.ToLower(host), port, ""
}

// endsWithPort reports whether the last number of an IPv6 address is a port of
// the system: ::1:9042 is an address, but who writes it means [::1]:9042.
func endsWithPort(system, text string) bool {
	usual := ports(system)
	return slices.Contains(usual[:], text[strings.LastIndex(text, ":")+1:])
}

// schemeOf returns the scheme that all addresses have, which is "" if they have
// none.
func schemeOf(list []address) (string, error) {
	for _, a := range list {
		if a.scheme != list[0].scheme {
			return "", detail("the schemes differ: write http:// or https:// before all addresses, or before none")
		}
	}
	return list[0].scheme, nil
}

// hostPorts returns addresses as host:port. None may be there twice: it would get
// twice the load.
func hostPorts(system string, list []address, tls bool) (Endpoints, error) {
	usual := ports(system)[0]
	if tls {
		usual = ports(system)[1]
	}
	var done Endpoints
	for _, a := range list {
		if a.port == "" {
			a.port = usual
		}
		endpoint := net.JoinHostPort(a.host, a.port)
		if slices.Contains(done, endpoint) {
			return nil, detail(fmt.Sprintf("%q is there twice", endpoint))
		}
		done = append(done, endpoint)
	}
	return done, nil
}
