package setting

import (
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kvbench/internal/access/accesstest"
)

func TestCqlsh(t *testing.T) {
	ca := accesstest.NewAuthority(t)
	pair := ca.Client(t, "bench")
	login := "[authentication]\nusername = fred\npassword = !!bang!!$ %(x)s\n"
	ssl := "[connection]\nhostname = elsewhere\nport = 9043\nssl = true\n[ssl]\ncertfile = ~/ca.pem\nuserkey = " + pair.Key + "\nusercert = " + pair.Cert + "\n"
	certs := map[string]string{"ca.pem": readFile(t, ca.CA), "one.pem": readFile(t, ca.CA)}
	for _, test := range []struct {
		why     string
		files   map[string]string
		environ []string
		want    string // with HOME for the directory
		took    []string
	}{
		{"a file alone chooses no cluster", map[string]string{".cassandra/cqlshrc": ssl + login}, nil, "TLS=auto", nil},
		{"a file that can't be read is none of our business then", map[string]string{".cassandra/cqlshrc": "nonsense"}, nil, "TLS=auto", nil},
		{"nor has it business with other systems", map[string]string{".cassandra/cqlshrc": "nonsense"}, []string{"SCYLLA_ENDPOINTS=a"}, "TLS=auto", nil},
		{"login for our endpoints", map[string]string{".cassandra/cqlshrc": login}, []string{"CASSANDRA_ENDPOINTS=a b:1"},
			"ENDPOINTS=[a:9042 b:1] TLS=false USER=fred PASSWORD=!!bang!!$ %(x)s",
			[]string{"CASSANDRA_USER from [authentication] username in ~/.cassandra/cqlshrc", "CASSANDRA_PASSWORD from [authentication] password in ~/.cassandra/cqlshrc"}},
		{"the old place", map[string]string{".cqlshrc": login}, []string{"CASSANDRA_ENDPOINTS=a"}, "ENDPOINTS=[a:9042] TLS=false USER=fred PASSWORD=!!bang!!$ %(x)s",
			[]string{"CASSANDRA_USER from [authentication] username in ~/.cqlshrc", "CASSANDRA_PASSWORD from [authentication] password in ~/.cqlshrc"}},
		{"the new place before the old", map[string]string{".cassandra/cqlshrc": "", ".cqlshrc": login}, []string{"CASSANDRA_ENDPOINTS=a"}, "ENDPOINTS=[a:9042] TLS=false", nil},
		{"credentials count more", map[string]string{".cassandra/cqlshrc": login, ".cassandra/credentials": "[PlainTextAuthProvider]\npassword: p\n"}, []string{"CASSANDRA_ENDPOINTS=a"},
			"ENDPOINTS=[a:9042] TLS=false USER=fred PASSWORD=p",
			[]string{"CASSANDRA_USER from [authentication] username in ~/.cassandra/cqlshrc", "CASSANDRA_PASSWORD from [PlainTextAuthProvider] password in ~/.cassandra/credentials"}},
		{"credentials elsewhere", map[string]string{".cassandra/cqlshrc": "[authentication]\ncredentials = ~/c\n", "c": "[PlainTextAuthProvider]\nusername=u\npassword=p"}, []string{"CASSANDRA_ENDPOINTS=a"},
			"ENDPOINTS=[a:9042] TLS=false USER=u PASSWORD=p",
			[]string{"CASSANDRA_USER from [PlainTextAuthProvider] username in ~/c", "CASSANDRA_PASSWORD from [PlainTextAuthProvider] password in ~/c"}},
		{"our user", map[string]string{".cassandra/cqlshrc": login}, []string{"CASSANDRA_ENDPOINTS=a", "CASSANDRA_USER=me", "CASSANDRA_PASSWORD=p"}, "ENDPOINTS=[a:9042] TLS=false USER=me PASSWORD=p", nil},
		{"an exported host, and the file's port", map[string]string{".cassandra/cqlshrc": "[connection]\nport = 9043"}, []string{"CQLSH_HOST=a"}, "ENDPOINTS=[a:9043] TLS=false", []string{"CASSANDRA_ENDPOINTS from CQLSH_HOST"}},
		{"an exported port", map[string]string{".cassandra/cqlshrc": "[connection]\nport = 9043"}, []string{"CQLSH_HOST=::1", "CQLSH_PORT=9044"}, "ENDPOINTS=[[::1]:9044] TLS=false", []string{"CASSANDRA_ENDPOINTS from CQLSH_HOST"}},
		{"TLS", map[string]string{".cassandra/cqlshrc": ssl}, []string{"CASSANDRA_ENDPOINTS=a"},
			"ENDPOINTS=[a:9042] TLS=true TLS_CA=HOME/ca.pem TLS_CERT=" + pair.Cert + " TLS_KEY=" + pair.Key,
			[]string{"CASSANDRA_TLS from [connection] ssl in ~/.cassandra/cqlshrc", "CASSANDRA_TLS_CA from [ssl] certfile in ~/.cassandra/cqlshrc",
				"CASSANDRA_TLS_CERT from [ssl] usercert in ~/.cassandra/cqlshrc", "CASSANDRA_TLS_KEY from [ssl] userkey in ~/.cassandra/cqlshrc"}},
		{"certificates without TLS", map[string]string{".cassandra/cqlshrc": "[ssl]\ncertfile = /none"}, []string{"CASSANDRA_ENDPOINTS=a"}, "ENDPOINTS=[a:9042] TLS=false", nil},
		{"certificates for TLS of ours", map[string]string{".cassandra/cqlshrc": "[ssl]\ncertfile = ~/ca.pem"}, []string{"CASSANDRA_ENDPOINTS=a", "CASSANDRA_TLS=true"},
			"ENDPOINTS=[a:9042] TLS=true TLS_CA=HOME/ca.pem", []string{"CASSANDRA_TLS_CA from [ssl] certfile in ~/.cassandra/cqlshrc"}},
		{"not verified", map[string]string{".cassandra/cqlshrc": "[connection]\nssl = on\n[ssl]\nvalidate = False\ncertfile = /none"}, []string{"CASSANDRA_ENDPOINTS=a"},
			"ENDPOINTS=[a:9042] TLS=true TLS_INSECURE=true", []string{"CASSANDRA_TLS from [connection] ssl in ~/.cassandra/cqlshrc", "CASSANDRA_TLS_INSECURE from [ssl] validate in ~/.cassandra/cqlshrc"}},
		{"certificates of hosts that nobody asks for", map[string]string{".cassandra/cqlshrc": "[certfiles]\na = /1\nb = /2"}, []string{"CASSANDRA_ENDPOINTS=a,b", "CASSANDRA_TLS_CA=" + ca.CA},
			"ENDPOINTS=[a:9042 b:9042] TLS=true TLS_CA=" + ca.CA, nil},
		{"certificates of other hosts", map[string]string{".cassandra/cqlshrc": "[connection]\nssl = 1\n[ssl]\ncertfile = ~/ca.pem\n[certfiles]\nc = /none"}, []string{"CASSANDRA_ENDPOINTS=a,b"},
			"ENDPOINTS=[a:9042 b:9042] TLS=true TLS_CA=HOME/ca.pem", []string{"CASSANDRA_TLS from [connection] ssl in ~/.cassandra/cqlshrc", "CASSANDRA_TLS_CA from [ssl] certfile in ~/.cassandra/cqlshrc"}},
		{"a certificate of the host", map[string]string{".cassandra/cqlshrc": "[connection]\nssl = 1\n[ssl]\ncertfile = /none\n[certfiles]\n10.0.0.1 = ~/one.pem\n10.0.0.2 = ~/one.pem"}, []string{"CASSANDRA_ENDPOINTS=10.0.0.1,10.0.0.2:9042"},
			"ENDPOINTS=[10.0.0.1:9042 10.0.0.2:9042] TLS=true TLS_CA=HOME/one.pem",
			[]string{"CASSANDRA_TLS from [connection] ssl in ~/.cassandra/cqlshrc", "CASSANDRA_TLS_CA from [certfiles] in ~/.cassandra/cqlshrc"}},
	} {
		maps.Copy(test.files, certs)
		dir := home(t, test.files)
		s, err := Load(append(test.environ, "HOME="+dir))
		if err != nil {
			t.Errorf("%s: %v", test.why, err)
			continue
		}
		if got := strings.ReplaceAll(see(t, s, "cassandra"), dir, "HOME"); got != test.want {
			t.Errorf("%s:\n got %s\nwant %s", test.why, got, test.want)
		}
		if diff := cmp.Diff(test.took, s.Borrowed); diff != "" {
			t.Errorf("%s: borrowed (-want +got):\n%s", test.why, diff)
		}
	}
}

func TestCqlshFilesThatAreWrong(t *testing.T) {
	for _, test := range []struct {
		why   string
		files map[string]string
		want  string
	}{
		{"no INI", map[string]string{".cassandra/cqlshrc": "\nhunter2\n"}, "~/.cassandra/cqlshrc: line 2 is neither a [section] nor a key = value in one"},
		{"no INI either", map[string]string{".cassandra/credentials": "[a]\nhunter2"}, "~/.cassandra/credentials: line 2 is neither"},
		{"no bool", map[string]string{".cassandra/cqlshrc": "[connection]\nssl = maybe"}, `[connection] ssl in ~/.cassandra/cqlshrc: "maybe": want true or false`},
		{"no such file", map[string]string{".cassandra/cqlshrc": "[connection]\nssl = true\n[ssl]\ncertfile = /none"}, `"/none": no such file or directory (CASSANDRA_TLS_CA from [ssl] certfile in ~/.cassandra/cqlshrc)`},
		{"a certificate for each", map[string]string{".cassandra/cqlshrc": "[connection]\nssl = true\n[certfiles]\na = /1\nb = /2"}, "[certfiles] in ~/.cassandra/cqlshrc: the hosts of the cluster have different ones; set CASSANDRA_TLS_CA"},
		{"a directory", map[string]string{".cassandra/cqlshrc/x": ""}, "cqlshrc: is a directory"},
	} {
		_, err := Load([]string{"CASSANDRA_ENDPOINTS=a,b", "HOME=" + home(t, test.files)})
		if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v, want %s in it", test.why, err, test.want)
		}
	}
}

func TestParseINI(t *testing.T) {
	got, err := parseINI("; a comment\n# another\n\n[a]\nKey = v = w:x \nempty=\nb:c\n  [more] of it\n\n  and more\n[A B]\n  k = 1\n  ; no part of it\n  l=2\r\n[a]\nm = #1 ; and all\n")
	want := map[string]string{
		"[a] key": "v = w:x", "[a] empty": "", "[a] b": "c\n[more] of it\nand more", "[A B] k": "1", "[A B] l": "2", "[a] m": "#1 ; and all",
	}
	if err != nil || !maps.Equal(got, want) {
		t.Errorf("%v (-want +got):\n%s", err, cmp.Diff(want, got))
	}
	for _, text := range []string{"k = v", "[a]\nk", "[a]\n= v", "[a\nk"} {
		if got, err := parseINI(text); err == nil {
			t.Errorf("%q is %q", text, got)
		}
	}
}

// Whatever a file holds, its keys are below a section, or there are none.
func FuzzINI(f *testing.F) {
	for _, text := range []string{"", "[a]\nk = v\n more", "[a]b]\nk:v", "[]\nk=v", "k=v", "[a]\n\tk = v\n\t\tw\n", "[a]\n#\n;\nk =\n", "\xef\xbb\xbf[a]", "[a]\rk=v", "[a]\n==\n", "[a]\n\u00a0k=v"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		keys, err := parseINI(text)
		if err != nil && len(keys) > 0 {
			t.Errorf("%q: keys %q and an error", text, keys)
		}
		for key, value := range keys {
			if !strings.HasPrefix(key, "[") || !strings.Contains(key, "] ") || strings.TrimSpace(value) != value {
				t.Errorf("%q: the key %q is %q", text, key, value)
			}
		}
	})
}
