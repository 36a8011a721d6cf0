package setting

import (
	"net/netip"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"

	"kvbench/internal/workload"
)

// A form is what a text setting must look like; the tag form names one.
type form struct {
	want string // what is allowed, for people
	ok   func(text string) bool
}

var (
	identifier = regexp.MustCompile(`^[a-z][a-z0-9_]{0,47}$`)
	image      = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z._:/-]*(@sha256:[0-9a-f]{64})?$`)
	version    = regexp.MustCompile(`^[0-9]+(\.[0-9]+){1,3}(-[0-9A-Za-z]+([.-][0-9A-Za-z]+)*)?$`)
)

func formOf(name string) form {
	switch name {
	case "namespace":
		return form{
			want: "a lower-case name such as kvbench: a letter, then up to 47 letters, digits or underscores, and not one of the servers' own (system…, zookeeper)",
			ok: func(s string) bool {
				return identifier.MatchString(s) && !strings.HasPrefix(s, "system") && s != "zookeeper"
			},
		}
	case "version":
		return form{want: "a version such as 3.7.3", ok: version.MatchString}
	case "path":
		return form{want: "an absolute path, since tests run in their package's directory", ok: filepath.IsAbs}
	case "image":
		return form{want: "a container image such as registry/name:tag", ok: image.MatchString}
	case "size":
		return form{want: "bytes such as 2GiB or 512MiB, at least 64MiB", ok: func(s string) bool { n, err := Bytes(s); return err == nil && n >= 64<<20 }}
	case "host":
		return form{want: "a host's name or address", ok: func(s string) bool { _, err := netip.ParseAddr(s); return err == nil || hostName.MatchString(s) }}
	case "name":
		return form{want: "a name", ok: func(s string) bool { return !strings.ContainsFunc(s, unicode.IsControl) }}
	case "distribution":
		return form{want: workload.Specs, ok: func(s string) bool { _, err := workload.Parse(s); return err == nil }}
	}
	return form{want: "a text", ok: func(string) bool { return true }}
}
