package policy

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rhysd/actionlint"
)

// The workflows for other people's continuous integration are what GitHub takes:
// keys, types and expressions are checked, and shell where shellcheck is at hand.
func TestWorkflows(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(root, "testdata", "ci", "*.yml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no workflows, %v", err)
	}
	shellcheck, _ := exec.LookPath("shellcheck")
	linter, err := actionlint.NewLinter(io.Discard, &actionlint.LinterOptions{Shellcheck: shellcheck})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		text := read(t, strings.TrimPrefix(filepath.ToSlash(name), root+"/"))
		for _, wrong := range lint(t, linter, name, text) {
			t.Error(wrong)
		}
		// The linter sees a mistake where there is one.
		if len(lint(t, linter, name, strings.Replace(text, "runs-on:", "runs-of:", 1))) == 0 {
			t.Errorf("%s: the linter takes a key that there isn't", name)
		}
	}
}

func lint(t *testing.T, linter *actionlint.Linter, name, text string) (wrong []string) {
	t.Helper()
	errs, err := linter.Lint(name, []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range errs {
		wrong = append(wrong, e.Error())
	}
	return wrong
}

// Recipes are programs that the shell reads, and shellcheck where it is at hand.
func TestRecipes(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(root, "testdata", "ci", "*.sh"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no recipes, %v", err)
	}
	for _, name := range files {
		if info, err := os.Stat(name); err != nil || info.Mode()&0o111 == 0 {
			t.Errorf("%s can't be run, %v", name, err)
		}
		check := exec.Command("bash", "-n", name)
		if shellcheck, err := exec.LookPath("shellcheck"); err == nil {
			check = exec.Command(shellcheck, name)
		}
		if out, err := check.CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	}
}
