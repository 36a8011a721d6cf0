package access

import (
	"fmt"
	"os"
	"strings"
)

// A Secret is a text that no output shows: formatted or encoded it is "[secret]",
// or nothing if it is empty. The zero value is empty.
//
// The text is behind a pointer, since fmt calls no methods of what is in unexported
// fields: there it prints an address. So == is not for two secrets.
type Secret struct{ text *string }

// NewSecret returns text as a Secret.
func NewSecret(text string) Secret {
	if text == "" {
		return Secret{}
	}
	return Secret{&text}
}

// ReadSecret returns the contents of a file, without the end of its last line. An
// error names the setting that the file comes from, and the file.
func ReadSecret(setting, file string) (Secret, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return Secret{}, fmt.Errorf("%s=%q: %w", setting, file, err)
	}
	s := NewSecret(strings.TrimRight(string(text), "\r\n"))
	if s.IsZero() {
		return Secret{}, fmt.Errorf("%s=%q: the file is empty", setting, file)
	}
	return s, nil
}

// Reveal returns the text, for the driver that sends it.
func (s Secret) Reveal() string {
	if s.text == nil {
		return ""
	}
	return *s.text
}

// IsZero reports whether the text is empty.
func (s Secret) IsZero() bool { return s.text == nil }

// UnmarshalText takes any text.
func (s *Secret) UnmarshalText(text []byte) error {
	*s = NewSecret(string(text))
	return nil
}

// MarshalText hides the text from encoders.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// String hides the text.
func (s Secret) String() string {
	if s.IsZero() {
		return ""
	}
	return "[secret]"
}

// Format hides the text from every verb, such as %#v and %x.
func (s Secret) Format(f fmt.State, verb rune) {
	if verb == 'q' {
		fmt.Fprintf(f, "%q", s.String())
		return
	}
	fmt.Fprint(f, s.String())
}
