package setting

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// An AutoDuration is a duration, or the word auto: the suite chooses.
type AutoDuration struct {
	Auto     bool
	Duration time.Duration // 0 if Auto
}

// UnmarshalText reads a duration such as 30s, or auto.
func (d *AutoDuration) UnmarshalText(text []byte) error {
	if string(text) == "auto" {
		*d = AutoDuration{Auto: true}
		return nil
	}
	duration, err := time.ParseDuration(string(text))
	*d = AutoDuration{Duration: duration}
	return err
}

func (d AutoDuration) String() string {
	if d.Auto {
		return "auto"
	}
	return d.Duration.String()
}

// OrNegative returns the duration, or -1 for auto.
func (d AutoDuration) OrNegative() time.Duration {
	if d.Auto {
		return -1
	}
	return d.Duration
}

// Counts are different whole numbers, in the order in which they were given.
type Counts []int

// UnmarshalText reads numbers separated by commas, white space, or both.
func (c *Counts) UnmarshalText(text []byte) error {
	*c = nil
	for _, word := range split(string(text)) {
		n, err := strconv.Atoi(word)
		switch {
		case err != nil:
			return detail(fmt.Sprintf("%q is no whole number", word))
		case slices.Contains(*c, n):
			return detail(fmt.Sprintf("%d is there twice", n))
		}
		*c = append(*c, n)
	}
	if len(*c) == 0 {
		return detail("the list is empty")
	}
	return nil
}

// split returns the parts of a list separated by commas, white space, or both.
func split(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' || unicode.IsSpace(r) })
}

// A detail is an error that says which part of a value is wrong, for a person
// who is told anyhow which setting it is and what it may be.
type detail string

func (d detail) Error() string { return string(d) }
