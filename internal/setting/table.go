package setting

import (
	"fmt"
	"slices"
	"strings"
)

// A Row describes one setting to people.
type Row struct {
	Name    string // of the variable
	System  string // "" if it isn't one system's, else such as "etcd"
	Default string // "" if it is not set by default
	Want    string // what is allowed, a noun phrase
	Doc     string // what it means, a sentence without a capital or full stop
}

// Table returns a row for each setting, in the order of [Settings].
func Table() []Row {
	var rows []Row
	for _, f := range fields(new(Settings)) {
		rows = append(rows, Row{
			Name: f.name, System: systemOf(f.name), Default: f.tag.Get("envDefault"), Want: f.want(), Doc: f.tag.Get("doc"),
		})
	}
	return rows
}

// systemOf returns the system that a variable belongs to by its prefix, or "".
func systemOf(name string) string {
	for _, system := range systems {
		if strings.HasPrefix(name, Prefix(system)+"_") {
			return system
		}
	}
	return ""
}

// Markdown returns the tables of all settings for README: those of the suite,
// those that each system has, those of some systems, and what is borrowed.
func Markdown() string {
	var suite, each, some []string
	rows := Table()
	for len(rows) > 0 {
		row, names := rows[0], []string{}
		rows = slices.DeleteFunc(rows, func(r Row) bool {
			same := r.suffix() == row.suffix() && r.Want == row.Want && r.Doc == row.Doc && r.Default == row.Default
			if same {
				names = append(names, "`"+r.Name+"`")
			}
			return same
		})
		switch line := row.line(strings.Join(names, ", ")); {
		case len(names) == len(systems):
			each = append(each, row.line("`…_"+row.suffix()+"`"))
		case row.System != "":
			some = append(some, line)
		default:
			suite = append(suite, line)
		}
	}
	const head = "| setting | default | allowed | meaning |\n|---|---|---|---|\n"
	return head + strings.Join(suite, "") +
		"\nEach system has the next ones; … is " + alternatives(prefixes()) + ".\n\n" + head + strings.Join(each, "") +
		"\nSome systems have more.\n\n" + head + strings.Join(some, "") +
		"\nWhere a setting of a cluster is unset, what the system's own tool is told counts, unless `BENCH_BORROW=false`. A run says what it took. A cluster is\n" +
		"taken from a variable only, and only if `BENCH_SERVERS` is auto; the files, `~/.cassandra/cqlshrc` or `~/.cqlshrc` and `~/.cassandra/credentials`, say\n" +
		"how to reach one.\n\n" +
		"| setting | taken from |\n|---|---|\n" + lent()
}

// suffix is the setting's name without its system.
func (r Row) suffix() string {
	if r.System == "" {
		return r.Name
	}
	return strings.TrimPrefix(r.Name, Prefix(r.System)+"_")
}

// line is the setting's row in a table, under a name.
func (r Row) line(name string) string {
	def := ""
	if r.Default != "" {
		def = "`" + r.Default + "`"
	}
	return fmt.Sprintf("| %s | %s | %s | %s |\n", name, def, r.Want, r.Doc)
}

// prefixes are those of all systems.
func prefixes() []string {
	var list []string
	for _, system := range systems {
		list = append(list, Prefix(system))
	}
	return list
}

// lent returns a line for each setting that may be borrowed.
func lent() string {
	var b strings.Builder
	for _, l := range lenders {
		for i, loan := range l.loans {
			if i > 0 && l.loans[i-1].ours == loan.ours {
				fmt.Fprintf(&b, ", else `%s`", loan.theirs)
				continue
			}
			fmt.Fprintf(&b, " |\n| `%s_%s` | `%s`", Prefix(l.system), loan.ours, loan.theirs)
		}
	}
	return strings.TrimPrefix(b.String(), " |\n") + " |\n"
}
