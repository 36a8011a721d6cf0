package setting

import "testing"

func TestTranslation(t *testing.T) {
	for text, want := range map[string]string{
		"172.18.0.3:9042=127.0.0.1:2 172.18.0.2:9042=127.0.0.1:1": "172.18.0.2:9042=127.0.0.1:1,172.18.0.3:9042=127.0.0.1:2",
		"":               "",
		"a:1":            "wrong",
		"a:1=b":          "wrong",
		"a=b:1":          "wrong",
		"a:1=http://b:1": "wrong",
		"a:1=b:70000":    "wrong",
	} {
		var got Translation
		err := got.UnmarshalText([]byte(text))
		if (err != nil) != (want == "wrong") || err == nil && got.String() != want {
			t.Errorf("%q: got %q, %v; want %q", text, got, err, want)
		}
	}
}
