package setting

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"slices"
	"strings"
	"testing"
)

func TestExpand(t *testing.T) {
	names := map[string][]string{
		"one": {"10.0.0.1"}, "three": {"10.0.0.3", "10.0.0.1", "10.0.0.2"}, "both": {"::1", "127.0.0.1"}, "six": {"fd00::2", "fd00::1"},
		"mixed": {"10.1.0.1", "fd00::1", "10.1.0.2", "fd00::2"}, "mapped": {"::ffff:10.0.0.1", "10.0.0.1", "::ffff:10.0.0.2"},
	}
	lookup := func(_ context.Context, host string) (list []netip.Addr, err error) {
		found, ok := names[host]
		if !ok {
			return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
		}
		for _, text := range found {
			list = append(list, netip.MustParseAddr(text))
		}
		return list, nil
	}
	for _, test := range []struct {
		why       string
		endpoints []string
		want      []Place
		err       string
	}{
		{"addresses are themselves", []string{"10.0.0.1:1", "[::1]:1"}, []Place{{"10.0.0.1:1", ""}, {"[::1]:1", ""}}, ""},
		{"a name with one address stays", []string{"one:1"}, []Place{{"one:1", ""}}, ""},
		{"a name with several is several", []string{"three:1"}, []Place{{"10.0.0.1:1", "three"}, {"10.0.0.2:1", "three"}, {"10.0.0.3:1", "three"}}, ""},
		{"one of each kind is one server", []string{"both:1"}, []Place{{"both:1", ""}}, ""},
		{"IPv6 only", []string{"six:1"}, []Place{{"[fd00::1]:1", "six"}, {"[fd00::2]:1", "six"}}, ""},
		{"servers that speak both count once", []string{"mixed:1"}, []Place{{"10.1.0.1:1", "mixed"}, {"10.1.0.2:1", "mixed"}}, ""},
		{"IPv4 in IPv6's clothes", []string{"mapped:1"}, []Place{{"10.0.0.1:1", "mapped"}, {"10.0.0.2:1", "mapped"}}, ""},
		{"a name that nobody knows stays", []string{"none:1"}, []Place{{"none:1", ""}}, ""},
		{"a server twice", []string{"10.0.0.2:1", "three:1"}, nil, `"10.0.0.2:1" and "three" are both 10.0.0.2:1`},
		{"another port is another server", []string{"10.0.0.2:2", "three:1"}, []Place{{"10.0.0.2:2", ""}, {"10.0.0.1:1", "three"}, {"10.0.0.2:1", "three"}, {"10.0.0.3:1", "three"}}, ""},
		{"no host:port", []string{"three"}, nil, `"three": `},
	} {
		got, err := Expand(t.Context(), test.endpoints, lookup)
		if !slices.Equal(got, test.want) || (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
			t.Errorf("%s: %v, %v; want %v, %q", test.why, got, err, test.want, test.err)
		}
	}
}

func TestExpandEnds(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("no answer within 1s"))
	_, err := Expand(ctx, []string{"a:1"}, func(ctx context.Context, _ string) ([]netip.Addr, error) { return nil, ctx.Err() })
	if err == nil || err.Error() != `"a": look up: no answer within 1s` {
		t.Error(err)
	}
}
