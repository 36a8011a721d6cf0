package report

import (
	"fmt"
	"io"
	"strings"
	"unicode"

	"kvbench/internal/target"
)

// Header writes the lines that must come once, before the first result: the
// configuration, from which benchstat makes tables, and what is better of every
// unit that [Metrics] reports. Nothing is written if a line is not valid.
func Header(w io.Writer, lines []target.Setting) error {
	var text strings.Builder
	seen := map[string]bool{}
	for _, l := range lines {
		value, err := valid(l)
		switch {
		case err != nil:
			return err
		case seen[l.Key]:
			return fmt.Errorf("configuration line %q: there are two", l.Key)
		}
		seen[l.Key] = true
		fmt.Fprintf(&text, "%s: %s\n", l.Key, value)
	}
	for _, m := range metrics {
		for _, unit := range m.units() {
			fmt.Fprintf(&text, "Unit %s %s\n", unit, m.meta)
		}
	}
	if _, err := io.WriteString(w, text.String()); err != nil {
		return fmt.Errorf("write the header of the results: %w", err)
	}
	return nil
}

// Comment writes a line for people, which comes before the first result and
// which readers of results pass over.
func Comment(w io.Writer, text string) error {
	line := "# " + strings.Join(strings.Fields(text), " ") + "\n"
	if _, err := io.WriteString(w, line); err != nil {
		return fmt.Errorf("write the header of the results: %w", err)
	}
	return nil
}

// units returns all names that the metric is reported by.
func (m metric) units() []string {
	units := []string{m.unit}
	if m.scope == perRun {
		return units
	}
	for _, kind := range kinds {
		units = append(units, prefixed(kind, m.unit))
	}
	return units
}

// reserved are the keys of the lines that testing prints itself. Ours would be
// overwritten by them.
var reserved = map[string]bool{"goos": true, "goarch": true, "pkg": true, "cpu": true}

// valid returns the value of a configuration line as it is written, or why
// benchfmt would not read it back as it is.
func valid(l target.Setting) (string, error) {
	value := strings.TrimSpace(l.Value)
	switch {
	case !validKey(l.Key):
		return "", fmt.Errorf("configuration line %q: want a key of one lower-case word", l.Key)
	case reserved[l.Key]:
		return "", fmt.Errorf("configuration line %q: testing prints its own", l.Key)
	case value == "":
		return "", fmt.Errorf("configuration line %q: no value, which would delete it", l.Key)
	case strings.ContainsFunc(value, unicode.IsControl):
		return "", fmt.Errorf("configuration line %q: value %q is not one line of text", l.Key, l.Value)
	}
	return value, nil
}

// validKey reports whether key can be the key of a configuration line: it begins
// with a lower-case letter and has no upper-case letter, space or colon.
func validKey(key string) bool {
	for i, r := range key {
		if i == 0 && !unicode.IsLower(r) || unicode.IsUpper(r) || unicode.IsSpace(r) || unicode.IsControl(r) || r == ':' {
			return false
		}
	}
	return key != ""
}
