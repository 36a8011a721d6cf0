package suite

import (
	"testing"

	"kvbench/internal/access"
)

func TestOverheard(t *testing.T) {
	secret := access.NewSecret("word")
	login := access.Login{User: "bench", Password: secret}
	for _, test := range []struct {
		sentence string
		reach    reach
		endpoint string
		want     bool
	}{
		{"a password to another machine", reach{login: login}, "10.0.0.1:2379", true},
		{"a password to a name", reach{login: login}, "db.example:2379", true},
		{"a token to another machine", reach{token: secret}, "[2001:db8::1]:8500", true},
		{"within TLS", reach{login: login, tls: &access.TLS{}}, "10.0.0.1:2379", false},
		{"on this machine", reach{login: login}, "127.0.0.2:2379", false},
		{"on this machine, by IPv6", reach{login: login}, "[::1]:2379", false},
		{"on this machine, by name", reach{login: login}, "localhost:2379", false},
		{"no secret", reach{login: access.Login{User: "bench"}}, "10.0.0.1:2379", false},
	} {
		if got := test.reach.overheard([]string{"127.0.0.1:1", test.endpoint}); got != test.want {
			t.Errorf("%s: %v, want %v", test.sentence, got, test.want)
		}
	}
}
