package setting

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kvbench/internal/access"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestMarkdown(t *testing.T) {
	const golden = "testdata/settings.md"
	got := Markdown()
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("(-want +got; -update rewrites %s):\n%s", golden, diff)
	}
}

func TestRowsAreComplete(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range Table() {
		switch {
		case seen[r.Name]:
			t.Errorf("%s is there twice", r.Name)
		case r.Want == "" || r.Doc == "":
			t.Errorf("%s isn't explained: %+v", r.Name, r)
		case strings.ContainsAny(r.Name+r.Default+r.Want+r.Doc, "|<>`\n"):
			t.Errorf("%s would break the table: %+v", r.Name, r)
		case strings.HasSuffix(r.Doc, "."):
			t.Errorf("%s: %q ends with a full stop", r.Name, r.Doc)
		}
		seen[r.Name] = true
	}
}

// Tags are checked by nobody else: a misspelled one would allow anything.
func TestEveryFieldSaysWhatIsAllowed(t *testing.T) {
	for _, f := range fields(new(Settings)) {
		_, oneof := f.tag.Lookup("oneof")
		_, isForm := f.tag.Lookup("form")
		_, low := f.tag.Lookup("min")
		switch f.value.Interface().(type) {
		case bool, Endpoints, Translation, access.Secret:
			continue
		case string:
			if !oneof && (!isForm || formOf(f.tag.Get("form")).want == "a text") {
				t.Errorf("%s: a text of no known form", f.name)
			}
		default:
			if !oneof && !low {
				t.Errorf("%s: a number without a minimum", f.name)
			}
			if lo, hi := f.bound("min", 0), f.bound("max", 1e300); !(lo <= hi) {
				t.Errorf("%s: from %q to %q", f.name, f.tag.Get("min"), f.tag.Get("max"))
			}
		}
	}
}

func TestSystemsByName(t *testing.T) {
	for _, name := range []string{"cassandra", "yugabyte", "scylla", "etcd", "zookeeper", "consul"} {
		s := load(t, Prefix(name)+"_VERSION=7.8.9", Prefix(name)+"_ENDPOINTS=a:1")
		if got := s.System(name); got.Version != "7.8.9" || len(got.Endpoints) != 1 {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if got := load(t).System("redis"); got.Version != "" || got.Endpoints != nil {
		t.Errorf("a system that is none: %+v", got)
	}
}

func TestAutoDuration(t *testing.T) {
	for _, test := range []struct {
		why, text, want string
		negative        bool
	}{
		{"auto is itself", "auto", "auto", true},
		{"a duration is printed as Go does", "90s", "1m30s", false},
		{"none at all", "0s", "0s", false},
	} {
		var d AutoDuration
		if err := d.UnmarshalText([]byte(test.text)); err != nil {
			t.Fatal(err)
		}
		if d.String() != test.want || (d.OrNegative() < 0) != test.negative {
			t.Errorf("%s: %q is %s, %v", test.why, test.text, d, d.OrNegative())
		}
	}
}
