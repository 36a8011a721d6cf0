package policy

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kvbench/internal/setting"
)

var update = flag.Bool("update", false, "rewrite the parts of README.md that are made from the code")

// What README.md prints of the code, and of tools, is what they say.
func TestReadmeIsUpToDate(t *testing.T) {
	text := read(t, "README.md")
	want := withSettings(t, text)
	want = withOutputs(t, want)
	if *update {
		if err := os.WriteFile(filepath.Join(root, "README.md"), []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, text); diff != "" {
		t.Errorf("make readme rewrites README.md (-want +got):\n%s", diff)
	}
}

// The marks of the table of settings.
const (
	settingsBegin = "<!-- settings: written by make readme -->\n"
	settingsEnd   = "<!-- /settings -->\n"
)

// withSettings returns text with the table of settings that the code makes.
func withSettings(t *testing.T, text string) string {
	t.Helper()
	before, rest, ok := strings.Cut(text, settingsBegin)
	_, after, ok2 := strings.Cut(rest, settingsEnd)
	if !ok || !ok2 {
		t.Fatalf("README.md has no table of settings between %q and %q", settingsBegin, settingsEnd)
	}
	return before + settingsBegin + "\n" + setting.Markdown() + "\n" + settingsEnd + after
}

// A block is a fenced block of README.md.
type block struct {
	language string
	text     string // its lines, each with its newline
}

var fenced = regexp.MustCompile("(?ms)^```(\\w*)\n(.*?)^```$")

// blocks returns the fenced blocks in a language.
func blocks(text, language string) (found []block) {
	for _, m := range fenced.FindAllStringSubmatch(text, -1) {
		if m[1] == language {
			found = append(found, block{m[1], m[2]})
		}
	}
	return found
}

// withOutputs returns text in which each console block holds its command, after
// a dollar sign, and what the command prints.
func withOutputs(t *testing.T, text string) string {
	t.Helper()
	for _, b := range blocks(text, "console") {
		line, _, _ := strings.Cut(b.text, "\n")
		command, ok := strings.CutPrefix(line, "$ ")
		if !ok {
			t.Fatalf("README.md: a console block begins with %q, want a dollar sign and a command", line)
		}
		text = strings.Replace(text, b.text, line+"\n"+output(t, command), 1)
	}
	return text
}

// output returns what a command prints in the module's root. Errors don't go by
// unseen: benchstat's exit status is 0 after an error.
func output(t *testing.T, command string) string {
	t.Helper()
	cmd := exec.Command("bash", "-c", command)
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", command, err, out)
	}
	var lines strings.Builder
	for line := range strings.Lines(string(out)) {
		lines.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	return lines.String()
}

// The result line that README.md explains is a real one, and all that it
// consists of is explained.
func TestReadmeResultLine(t *testing.T) {
	text := read(t, "README.md")
	found := blocks(text, "text")
	if len(found) != 1 {
		t.Fatalf("README.md has %d text blocks, want 1: a result line", len(found))
	}
	line := strings.Fields(found[0].text)
	published := false
	for result := range strings.Lines(read(t, "testdata/compare/new.txt")) {
		published = published || slices.Equal(strings.Fields(result), line)
	}
	if !published {
		t.Errorf("README.md explains a result that is not in testdata/compare/new.txt: %q", line)
	}
	percentile := regexp.MustCompile(`^p[0-9.]+-ns$`)
	for i := 3; i < len(line); i += 2 {
		if unit := line[i]; !percentile.MatchString(unit) && !strings.Contains(text, "`"+unit+"`") {
			t.Errorf("README.md does not explain %q", unit)
		}
	}
}
