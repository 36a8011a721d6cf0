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
type Endpoints []string

// hostName is more than RFC 1123 allows: underscores occur in container networks.
var hostName = regexp.MustCompile(`^[0-9A-Za-z]([0-9A-Za-z._-]*[0-9A-Za-z])?\.?$`)

// UnmarshalText reads addresses separated by commas, spaces, or both.
func (e *Endpoints) UnmarshalText(text []byte) error {
	*e = nil
	for _, address := range split(string(text)) {
		if problem := checkEndpoint(address); problem != "" {
			return detail(fmt.Sprintf("%q has %s", address, problem))
		}
		if slices.Contains(*e, address) {
			return detail(fmt.Sprintf("%q is there twice", address))
		}
		*e = append(*e, address)
	}
	if len(*e) == 0 {
		return detail("the list is empty")
	}
	return nil
}

// checkEndpoint returns what is wrong with an address, or nothing.
func checkEndpoint(address string) string {
	if strings.Contains(address, "://") {
		return "a scheme"
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return "no port, or an IPv6 address without brackets"
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return fmt.Sprintf("the port %q, not one from 1 to 65535", port)
	}
	if _, err := netip.ParseAddr(host); err != nil && !hostName.MatchString(host) {
		return fmt.Sprintf("the host %q, which is no name and no address", host)
	}
	return ""
}
