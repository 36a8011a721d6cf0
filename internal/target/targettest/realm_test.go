package targettest

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"testing"
)

// faultVariable names the fault of the memory on which a child runs the contract
// test of realms.
const faultVariable = "TARGETTEST_FAULT"

// TestRealmContract is passed by a system without a fault.
func TestRealmContract(t *testing.T) {
	m := &memory{fault: os.Getenv(faultVariable), realms: map[string]*memoryRealm{}}
	TestRealm(t, m.land())
}

// TestRealmContractFindsFaults runs the contract test on systems with a fault each,
// in processes of their own, since it has to fail.
func TestRealmContractFindsFaults(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for fault, part := range map[string]string{
		"":                                  "", // passes
		"claims once only":                  "is_claimed_once",
		"claims what is foreign":            "is_not_claimed",
		"does not name what is foreign":     "is_not_claimed",
		"writes without a claim":            "is_not_claimed",
		"drops what is foreign":             "is_not_claimed",
		"has one note only":                 "notes_are_kept",
		"keeps removed notes":               "notes_are_kept",
		"counts notes":                      "are_no_rows",
		"clears notes":                      "are_no_rows",
		"clears the mark":                   "are_no_rows",
		"leaves rows":                       "is_gone",
		"leaves notes":                      "is_gone",
		"drops what is there only":          "is_gone",
		"drops by prefix":                   "takes_no_other_along",
		"takes itself for another":          "things_are_seen",
		"takes the suite's for others'":     "things_are_seen",
		"sees nobody":                       "things_are_seen",
		"does not see what is at its place": "is_not_claimed",
	} {
		t.Run("fault="+fault, func(t *testing.T) {
			t.Parallel()
			cmd := exec.CommandContext(t.Context(), exe, "-test.run=^TestRealmContract$", "-test.v")
			cmd.Env = append(os.Environ(), faultVariable+"="+fault)
			out, err := cmd.CombinedOutput()
			var exit *exec.ExitError
			if err != nil && !errors.As(err, &exit) {
				t.Fatal(err)
			}
			if fault == "" {
				if err != nil {
					t.Errorf("a system without a fault fails:\n%s", out)
				}
				return
			}
			if err == nil || !failed(out, part) {
				t.Errorf("the fault is not found where it is expected, in %q:\n%s", part, out)
			}
		})
	}
}

// failed reports whether the output of tests says that the one whose name has part
// in it has failed.
func failed(out []byte, part string) bool {
	for line := range bytes.Lines(out) {
		if bytes.HasPrefix(bytes.TrimSpace(line), []byte("--- FAIL: TestRealmContract/")) && bytes.Contains(line, []byte(part)) {
			return true
		}
	}
	return false
}
