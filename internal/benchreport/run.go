package benchreport

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"

	"kvbench/internal/results"
)

// A run is one result line and what its name says.
type run struct {
	*benchfmt.Result
	file     string
	bench    string // as testing has it: BenchmarkPut/system=etcd/clients=10
	group    string // what is measured, without on what and how much of it: coord.Put
	system   string
	clients  float64 // 0 if the name doesn't say
	rate     float64 // 0 in closed loop
	subject  string  // what is compared: the system, its version, and what else differs
	recorded *recording
}

// procs is GOMAXPROCS at the end of a name.
var procs = regexp.MustCompile(`-\d+$`)

func newRun(file string, r *benchfmt.Result) *run {
	name := procs.ReplaceAllString(string(r.Name.Full()), "")
	parts := strings.Split(name, "/")
	pkg := r.GetConfig("pkg")
	u := &run{Result: r, file: file, bench: "Benchmark" + name}
	u.group = strings.TrimPrefix(pkg[strings.LastIndexByte(pkg, '/')+1:]+".", ".") + parts[0]
	for _, part := range parts[1:] {
		key, value, _ := strings.Cut(part, "=")
		number, _ := strconv.ParseFloat(value, 64) // a text stays 0
		switch {
		case key == "system":
			u.system = value
		case key == "clients" && number > 0:
			u.clients = number
		case key == "rate":
			u.rate = number
		default:
			u.group += "/" + part
		}
	}
	return u
}

// value returns a metric, and false if the result has none.
func (u *run) value(unit string) (float64, bool) { return results.Value(u.Result, unit) }

// kinds returns what the run's units begin with: nothing, or the kinds of operation.
func (u *run) kinds() []string {
	if _, ok := u.value("read-ops/s"); ok {
		return []string{"read-", "write-"}
	}
	return []string{""}
}

// config returns the value of a configuration line, or of what else sets runs apart.
func (u *run) config(key string) string {
	switch key {
	case "gomaxprocs":
		return strings.TrimPrefix(procs.FindString(string(u.Name.Full())), "-")
	case "file":
		return strings.TrimSuffix(filepath.Base(u.file), ".txt")
	case "path":
		return u.file
	}
	return u.GetConfig(key)
}

// foreign reports whether a configuration key is about another system than the run's.
func (u *run) foreign(key string, systems []string) bool {
	prefix, _, _ := strings.Cut(key, "-")
	return prefix != u.system && slices.Contains(systems, prefix)
}

// systems are all that can be measured. A file's configuration lines are about all
// that could have been.
var systems = []string{"cassandra", "yugabyte", "scylla", "etcd", "zookeeper", "consul"}

// nameSubjects gives each run the name of what was measured: the system and its
// version, and whatever else differs between runs that would be called the same.
func nameSubjects(runs []*run) {
	for _, u := range runs {
		u.subject = strings.TrimSpace(u.system + " " + u.config(u.system+"-version"))
		if u.subject == "" {
			u.subject = "all"
		}
	}
	for _, same := range collect(runs, subjectOf) {
		tellConfig(same)
	}
	for _, same := range collect(runs, func(u *run) string { return u.subject + " " + u.bench }) {
		if len(collect(same, fileOf)) > 1 {
			subject := same[0].subject
			tellFile(slices.DeleteFunc(slices.Clone(runs), func(u *run) bool { return u.subject != subject }))
		}
	}
}

// few is how many settings a name says. The page has all of them.
const few = 3

// tellConfig adds to the subjects of runs the settings in which they differ, or the
// files if these differ in many.
func tellConfig(runs []*run) {
	var keys []string
	for _, key := range append(keysOf(runs), "gomaxprocs") {
		if len(collect(runs, func(u *run) string { return u.config(key) })) > 1 {
			keys = append(keys, key)
		}
	}
	all := func(u *run) string {
		text := u.file
		for _, key := range keys {
			text += "\n" + u.config(key)
		}
		return text
	}
	if len(keys) > few && len(collect(runs, all)) == len(collect(runs, fileOf)) {
		tellFile(runs)
		return
	}
	for _, key := range keys {
		tell(runs, key)
	}
}

// tellFile adds the name of its file to a run's subject, or the path if several have
// that name.
func tellFile(runs []*run) {
	key := "file"
	if len(collect(runs, func(u *run) string { return u.config(key) })) < len(collect(runs, fileOf)) {
		key = "path"
	}
	tell(runs, key)
}

// tell adds the value of a key to the subjects of runs, if they differ in it.
func tell(runs []*run, key string) {
	if len(collect(runs, func(u *run) string { return u.config(key) })) < 2 {
		return
	}
	short := strings.TrimPrefix(key, runs[0].system+"-")
	for _, u := range runs {
		if v := u.config(key); v != "" {
			u.subject += fmt.Sprintf(", %s %s", short, v)
		} else {
			u.subject += ", no " + short
		}
	}
}

// keysOf returns the configuration keys of runs that are about their own system, in
// the order in which they come. The package is a part of the group.
func keysOf(runs []*run) (keys []string) {
	for _, u := range runs {
		for _, c := range u.Config {
			if c.Key != "pkg" && !u.foreign(c.Key, systems) && !slices.Contains(keys, c.Key) {
				keys = append(keys, c.Key)
			}
		}
	}
	return keys
}

// collect returns runs by key, in the order in which the keys come.
func collect(runs []*run, key func(*run) string) (all [][]*run) {
	at := map[string]int{}
	for _, u := range runs {
		k := key(u)
		i, ok := at[k]
		if !ok {
			i = len(all)
			at[k] = i
			all = append(all, nil)
		}
		all[i] = append(all[i], u)
	}
	return all
}

func subjectOf(u *run) string { return u.subject }

func fileOf(u *run) string { return u.file }

// load is what a run's name says about its load, in words.
func (u *run) load() string {
	var words []string
	if u.clients > 0 {
		words = append(words, plural(u.clients, "client"))
	}
	if u.rate > 0 {
		words = append(words, fmt.Sprintf("%v/s", u.rate))
	}
	return strings.Join(words, ", ")
}

func plural(n float64, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%v %ss", n, thing)
}
