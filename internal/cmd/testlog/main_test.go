package main

import (
	"strings"
	"testing"
)

// Each case is a real stream, cut down to what matters and without its times.
func TestCondense(t *testing.T) {
	for _, tc := range []struct{ sentence, in, want string }{
		{"a test that passes says nothing", `
{"Action":"start","Package":"p"}
{"Action":"output","Package":"p","Output":"testing: warning: no tests to run\n"}
{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestA","Output":"=== RUN   TestA\n"}
{"Action":"output","Package":"p","Test":"TestA","Output":"    a_test.go:5: a log\n"}
{"Action":"output","Package":"p","Test":"TestA","Output":"--- PASS: TestA (0.00s)\n"}
{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Output":"PASS\n"}
{"Action":"output","Package":"p","Output":"ok  \tp\t0.1s\n"}
{"Action":"pass","Package":"p"}`, "ok  \tp\t0.1s\n"},
		{"a test that fails is shown whole", `
{"Action":"output","Package":"p","Test":"TestA","Output":"=== RUN   TestA\n"}
{"Action":"output","Package":"p","Test":"TestA","Output":"    a_test.go:5: wrong\n"}
{"Action":"output","Package":"p","Test":"TestA","Output":"--- FAIL: TestA (0.00s)\n"}
{"Action":"fail","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Output":"FAIL\tp\t0.1s\n"}
{"Action":"fail","Package":"p"}`, "    a_test.go:5: wrong\n--- FAIL: TestA (0.00s)\nFAIL\tp\t0.1s\n"},
		{"a test that a panic cut off is shown too", `
{"Action":"output","Package":"p","Test":"TestA","Output":"panic: boom\n"}
{"Action":"output","Package":"p","Output":"FAIL\tp\t0.1s\n"}
{"Action":"fail","Package":"p"}`, "FAIL\tp\t0.1s\npanic: boom\n"},
		{"skips are told at the end, once per reason", `
{"Action":"output","Package":"p","Test":"TestA","Output":"=== RUN   TestA\n"}
{"Action":"output","Package":"p","Test":"TestA","Output":"    a_test.go:5: etcd: no servers:\n"}
{"Action":"output","Package":"p","Test":"TestA","Output":"        install Go\n"}
{"Action":"output","Package":"p","Test":"TestA","Output":"--- SKIP: TestA (0.00s)\n"}
{"Action":"skip","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestB","Output":"    b_test.go:7: etcd: no servers: install Go\n"}
{"Action":"skip","Package":"p","Test":"TestB"}
{"Action":"output","Package":"p","Output":"ok  \tp\t0.1s\n"}
{"Action":"output","Package":"q","Output":"?   \tq\t[no test files]\n"}
{"Action":"skip","Package":"q"}`,
			"ok  \tp\t0.1s\n?   \tq\t[no test files]\nskipped p.TestA and 1 more: etcd: no servers: install Go\n"},
		{"a package that does not compile says why", `
{"ImportPath":"p [p.test]","Action":"build-output","Output":"# p [p.test]\n"}
{"ImportPath":"p [p.test]","Action":"build-output","Output":"./a.go:1:1: no\n"}
{"ImportPath":"p [p.test]","Action":"build-fail"}
{"Action":"output","Package":"p","Output":"FAIL\tp [build failed]\n"}
{"Action":"fail","Package":"p"}`, "# p [p.test]\n./a.go:1:1: no\nFAIL\tp [build failed]\n"},
	} {
		var out strings.Builder
		if err := condense(strings.NewReader(tc.in), &out); err != nil {
			t.Errorf("%s: %v", tc.sentence, err)
		}
		if out.String() != tc.want {
			t.Errorf("%s:\n%swant:\n%s", tc.sentence, &out, tc.want)
		}
	}
}

func TestCondenseOfSomethingElse(t *testing.T) {
	if err := condense(strings.NewReader("ok  \tp\t0.1s\n"), new(strings.Builder)); err == nil {
		t.Error("no error for a stream that is not JSON")
	}
}
