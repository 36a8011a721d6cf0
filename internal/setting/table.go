package setting

import (
	"fmt"
	"strings"
)

// A Row describes one setting to people.
type Row struct {
	Name    string // of the variable
	Default string // "" if it is not set by default
	Want    string // what is allowed, a noun phrase
	Doc     string // what it means, a sentence without a capital or full stop
}

// Table returns a row for each setting, in the order of [Settings].
func Table() []Row {
	var rows []Row
	for _, f := range fields(new(Settings)) {
		rows = append(rows, Row{
			Name: f.name, Default: f.tag.Get("envDefault"), Want: f.want(), Doc: f.tag.Get("doc"),
		})
	}
	return rows
}

// Markdown returns the table of all settings for README.
func Markdown() string {
	var b strings.Builder
	b.WriteString("| setting | default | allowed | meaning |\n|---|---|---|---|\n")
	for _, r := range Table() {
		def := ""
		if r.Default != "" {
			def = "`" + r.Default + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", r.Name, def, r.Want, r.Doc)
	}
	return b.String()
}
