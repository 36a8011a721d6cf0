package setting

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A Translation says where clients reach nodes that know each other by other
// addresses, as behind a NAT or in containers: host:port by host:port.
type Translation map[string]string

// UnmarshalText reads pairs such as 172.18.0.2:9042=127.0.0.1:32768, separated by
// commas, spaces, or both.
func (t *Translation) UnmarshalText(text []byte) error {
	*t = Translation{}
	for _, pair := range split(string(text)) {
		node, client, ok := strings.Cut(pair, "=")
		for _, address := range []string{node, client} {
			if strings.Contains(pair, "@") { // before which there may be a password
				return detail("there is an @ in it, where host:port=host:port is wanted")
			}
			if a, err := parseAddress("cassandra", address); !ok || err != nil || a.port == "" || a.scheme != "" {
				return detail(fmt.Sprintf("%q is no host:port=host:port", pair))
			}
		}
		(*t)[node] = client
	}
	return nil
}

// String is the text that UnmarshalText reads.
func (t Translation) String() string {
	var pairs []string
	for _, node := range slices.Sorted(maps.Keys(t)) {
		pairs = append(pairs, node+"="+t[node])
	}
	return strings.Join(pairs, ",")
}
