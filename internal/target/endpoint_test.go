package target

import (
	"errors"
	"fmt"
	"slices"
	"testing"
)

func TestOpenAny(t *testing.T) {
	for _, test := range []struct {
		sentence string
		answers  map[string]error
		asked    []string
		want     string
	}{
		{"the first answers", map[string]error{}, []string{"a"}, ""},
		{"the first is down", map[string]error{"a": ErrTimeout}, []string{"a", "b"}, ""},
		{"all are down", map[string]error{"a": ErrTimeout, "b": ErrUnavailable, "c": ErrTimeout}, []string{"a", "b", "c"}, "a: timeout; b: unavailable; c: timeout"},
		{"one denies access", map[string]error{"a": ErrTimeout, "b": ErrDenied}, []string{"a", "b"}, "b: " + ErrDenied.Error()},
	} {
		var asked []string
		got, err := OpenAny([]string{"a", "b", "c"}, func(endpoint string) (string, error) {
			asked = append(asked, endpoint)
			if err := test.answers[endpoint]; err != nil {
				return "", fmt.Errorf("%s: %w", endpoint, err)
			}
			return endpoint, nil
		})
		if !slices.Equal(asked, test.asked) {
			t.Errorf("%s: asked %q, want %q", test.sentence, asked, test.asked)
		}
		last := asked[len(asked)-1]
		if test.want == "" && (err != nil || got != last) {
			t.Errorf("%s: got %q, %v; want %q", test.sentence, got, err, last)
		}
		if test.want != "" && (err == nil || err.Error() != test.want || !errors.Is(err, test.answers[last])) {
			t.Errorf("%s: error %v, want %s", test.sentence, err, test.want)
		}
	}
}
