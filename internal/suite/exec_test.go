package suite

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/perf/benchfmt"
)

// An invocation is a run of this test binary's benchmarks, as go test runs them.
type invocation struct {
	fake  string   // name of a program
	bench string   // regular expression of -bench
	args  []string // more test flags
	env   []string // settings
}

// An outcome is what a user sees of an invocation, and what its fake system saw.
type outcome struct {
	text    string // stdout and stderr, which go test joins
	code    int
	results []*benchfmt.Result
	wrong   []string // what benchfmt does not understand
	units   benchfmt.UnitMetadataMap
	seen    map[string]seen
}

// hang is when a test gives up: a benchmark does not end by itself.
const hang = 5 * time.Minute

// run runs the invocation through a pipe.
func (i invocation) run(t *testing.T) outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), hang)
	defer cancel()
	file := filepath.Join(t.TempDir(), "witness")
	cmd := i.command(ctx, t, file)
	var text bytes.Buffer
	cmd.Stdout, cmd.Stderr = &text, &text
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if ctx.Err() != nil {
		t.Fatalf("%v has not ended after %v:\n%s", cmd.Args, hang, &text)
	}
	o := outcome{text: text.String(), code: cmd.ProcessState.ExitCode()}
	o.parse()
	o.seen = loadWitness(t, file)
	return o
}

func (i invocation) command(ctx context.Context, t *testing.T, witness string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(ctx, exe, append([]string{"-test.run=^$", "-test.short", "-test.bench=" + i.bench}, i.args...)...)
	for _, name := range []string{"PATH", "HOME", "TMPDIR", "XDG_CACHE_HOME", "GOCOVERDIR"} { // no setting of the outer run
		if value, ok := os.LookupEnv(name); ok {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	cmd.Env = append(cmd.Env, misbehaviour+"="+i.fake, witnessVariable+"="+witness)
	cmd.Env = append(cmd.Env, i.env...)
	return cmd
}

// parse reads the text as benchstat does.
func (o *outcome) parse() {
	r := benchfmt.NewReader(strings.NewReader(o.text), "output")
	for r.Scan() {
		switch rec := r.Result().(type) {
		case *benchfmt.Result:
			o.results = append(o.results, rec.Clone())
		case *benchfmt.SyntaxError:
			o.wrong = append(o.wrong, rec.Error())
		}
	}
	o.units = r.Units()
}

// names returns the names of all results.
func (o *outcome) names() []string {
	var names []string
	for _, r := range o.results {
		names = append(names, string(r.Name.Full()))
	}
	return names
}

// ends fails the test unless the run ended with a status, without a line that
// benchfmt complains about.
func (o *outcome) ends(t *testing.T, code int) {
	t.Helper()
	if o.code != code || len(o.wrong) > 0 {
		t.Fatalf("exit status %d, want %d; not understood by benchfmt: %q; it printed\n%s", o.code, code, o.wrong, o.text)
	}
}

// says fails the test unless the output has all of the texts.
func (o *outcome) says(t *testing.T, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(o.text, text) {
			t.Errorf("it does not say %q:\n%s", text, o.text)
		}
	}
}

// metric returns the value of a unit, as it was printed.
func metric(t *testing.T, r *benchfmt.Result, unit string) float64 {
	t.Helper()
	for _, v := range r.Values {
		if v.Unit == unit {
			return v.Value
		}
		if v.OrigUnit == unit {
			return v.OrigValue
		}
	}
	t.Errorf("%s has no %s", r.Name, unit)
	return 0
}

// reports reports whether a result has a unit.
func reports(r *benchfmt.Result, unit string) bool {
	for _, v := range r.Values {
		if v.Unit == unit || v.OrigUnit == unit {
			return true
		}
	}
	return false
}
