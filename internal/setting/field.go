package setting

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/caarlos0/env/v11"

	"kvbench/internal/access"
)

// A field is one setting: a field of a [Settings] with its tags.
type field struct {
	name  string // of the variable
	tag   reflect.StructTag
	value reflect.Value
}

// fields returns the settings of s in the order of their declaration.
func fields(s *Settings) []field { return appendFields(nil, reflect.ValueOf(s).Elem(), "") }

func appendFields(list []field, group reflect.Value, prefix string) []field {
	for i := range group.NumField() {
		f := group.Type().Field(i)
		if name, ok := f.Tag.Lookup("env"); ok {
			list = append(list, field{name: prefix + name, tag: f.Tag, value: group.Field(i)})
		} else if f.Type.Kind() == reflect.Struct {
			list = appendFields(list, group.Field(i), prefix+f.Tag.Get("envPrefix"))
		}
	}
	return list
}

// want says what is allowed, as a noun phrase.
func (f field) want() string {
	if words := strings.Fields(f.tag.Get("oneof")); len(words) > 0 {
		return alternatives(words)
	}
	switch f.value.Interface().(type) {
	case time.Duration:
		return "a duration" + f.bounds()
	case AutoDuration:
		return "auto, or a duration" + f.bounds()
	case Counts:
		return "a list such as 1,10,100 of whole numbers" + f.bounds()
	case Translation:
		return "a list of node=client addresses such as 172.18.0.2:9042=127.0.0.1:32768"
	case Endpoints:
		return "a list of hosts with or without ports such as 10.0.0.1:9042,[::1]:9042,db3"
	case access.Secret:
		return "a secret, which is never shown"
	case bool:
		return "true or false"
	case float64:
		return "a number" + f.bounds()
	case string:
		return formOf(f.tag.Get("form")).want
	}
	return "a whole number" + f.bounds()
}

// bounds says from where to where a number may be, with a space in front.
func (f field) bounds() string {
	low, high := f.tag.Get("min"), f.tag.Get("max")
	if high == "" {
		return " of at least " + low
	}
	return fmt.Sprintf(" from %s to %s", low, high)
}

// allows reports whether the field's value is one that its tags allow.
func (f field) allows() bool {
	if words := strings.Fields(f.tag.Get("oneof")); len(words) > 0 {
		return slices.Contains(words, fmt.Sprint(f.value))
	}
	if f.value.Kind() == reflect.String {
		return formOf(f.tag.Get("form")).ok(f.value.String())
	}
	low, high := f.bound("min", math.Inf(-1)), f.bound("max", math.MaxFloat64)
	for _, n := range f.numbers() {
		if !(n >= low && n <= high) { // nor is NaN allowed
			return false
		}
	}
	return true
}

// check returns an error if value, which env put into the field with err, isn't
// one that is allowed. It quotes no secret.
func (f field) check(value string, err error) error {
	wrong := detailOf(err)
	if list, ok := f.value.Interface().(Endpoints); ok && err == nil {
		_, err = parseAddresses(systemOf(f.name), list)
		errors.As(err, &wrong)
	}
	if err == nil && f.allows() {
		return nil
	}
	name := f.name
	if _, secret := f.value.Interface().(access.Secret); !secret && !strings.Contains(value, "@") {
		name = fmt.Sprintf("%s=%q", f.name, value)
	}
	if wrong != "" {
		return fmt.Errorf("%s: %s; want %s", name, wrong, f.want())
	}
	return fmt.Errorf("%s: want %s", name, f.want())
}

// detailOf returns what env's error says about a part of the value, if anything.
func detailOf(err error) detail {
	var parse env.ParseError
	var wrong detail
	if errors.As(err, &parse) {
		errors.As(parse.Err, &wrong)
	}
	return wrong
}

// numbers returns the numbers in the field's value; durations in nanoseconds.
func (f field) numbers() []float64 {
	switch v := f.value.Interface().(type) {
	case AutoDuration:
		return []float64{float64(v.Duration)}
	case Counts:
		var list []float64
		for _, n := range v {
			list = append(list, float64(n))
		}
		return list
	}
	switch {
	case f.value.CanInt():
		return []float64{float64(f.value.Int())}
	case f.value.CanUint():
		return []float64{float64(f.value.Uint())}
	case f.value.CanFloat():
		return []float64{f.value.Float()}
	}
	return nil
}

// bound returns the number in the tag called name, or none if there is no such
// tag; durations in nanoseconds. A tag that is neither allows nothing.
func (f field) bound(name string, none float64) float64 {
	text, ok := f.tag.Lookup(name)
	if !ok {
		return none
	}
	if n, err := strconv.ParseFloat(text, 64); err == nil {
		return n
	}
	if d, err := time.ParseDuration(text); err == nil {
		return float64(d)
	}
	return math.NaN()
}

// alternatives joins words as people do: a, b or c.
func alternatives(words []string) string {
	last := len(words) - 1
	if last == 0 {
		return words[0]
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
