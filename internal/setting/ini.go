package setting

import (
	"fmt"
	"strings"
	"unicode"
)

// parseINI returns the values in a file of cqlsh's by "[section] key", with keys
// in lower case. The form is that of Python's configparser: "key = value" or
// "key: value" below a "[section]", comments on lines of their own that begin
// with # or ;, and lines that are indented further than their key continue its
// value, without empty ones. Nothing is interpolated. Errors show no line, which may be a password.
func parseINI(text string) (map[string]string, error) {
	keys := map[string]string{}
	section, last, depth := "", "", 0
	for i, line := range strings.Split(text, "\n") {
		words := strings.TrimSpace(line)
		if words == "" || strings.HasPrefix(words, "#") || strings.HasPrefix(words, ";") {
			continue
		}
		indent := len(line) - len(strings.TrimLeftFunc(line, unicode.IsSpace))
		if last != "" && indent > depth {
			keys[last] = strings.TrimSpace(keys[last] + "\n" + words)
			continue
		}
		if name, ok := strings.CutPrefix(words, "["); ok && strings.Contains(name, "]") {
			section, last = words[:strings.LastIndex(words, "]")+1], ""
			continue
		}
		at := strings.IndexAny(words, "=:")
		if section == "" || at < 1 {
			return nil, fmt.Errorf("line %d is neither a [section] nor a key = value in one", i+1)
		}
		last, depth = section+" "+strings.ToLower(strings.TrimSpace(words[:at])), indent
		keys[last] = strings.TrimSpace(words[at+1:])
	}
	return keys, nil
}
