package main

import (
	"io"
	"strings"
	"testing"
)

func TestSeekLast(t *testing.T) {
	long := strings.Repeat("x", 50_000)
	for _, tc := range []struct {
		text  string
		lines int
		want  string
	}{
		{"", 3, ""},
		{"a\nb\nc\n", 0, ""},
		{"a\nb\nc\n", 2, "b\nc\n"},
		{"a\nb\nc\n", 3, "a\nb\nc\n"},
		{"a\nb\nc\n", 9, "a\nb\nc\n"},
		{"a\nb\nc", 1, "c"},
		{"a\nb\nc", 2, "b\nc"},
		{"\n\n\n", 2, "\n\n"},
		{"a\n" + long + "\n" + long + "\n", 2, long + "\n" + long + "\n"},
		{"a\n" + long + "\n" + long, 1, long},
	} {
		r := strings.NewReader(tc.text)
		if err := seekLast(r, tc.lines); err != nil {
			t.Error(err)
		}
		got, err := io.ReadAll(r)
		if err != nil || string(got) != tc.want {
			t.Errorf("last %d lines of %.20q…: %.20q…, %v; want %.20q…", tc.lines, tc.text, got, err, tc.want)
		}
	}
}
