package benchreport

import (
	"fmt"
	"hash/fnv"
	"math"
	"regexp"
	"slices"
	"strings"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"kvbench/internal/chart"
)

// newChart returns a chart whose identifier is made from its title.
func newChart(title, caption string, x, y chart.Axis) *chart.Chart {
	return &chart.Chart{ID: slug(title), Title: title, Caption: caption, X: x, Y: y}
}

var separators = regexp.MustCompile(`[^a-z0-9]+`)

// longest is how long a name of a file is, at the most. Some systems have no longer ones than
// 255 bytes, with the extension.
const longest = 120

// slug is a text as a link and a file's name have it. Of a long one it is the
// beginning, and a sum of the whole.
func slug(text string) string {
	s := strings.Trim(separators.ReplaceAllString(strings.ToLower(text), "-"), "-")
	if len(s) <= longest {
		return s
	}
	h := fnv.New32a()
	h.Write([]byte(s)) // never fails
	return fmt.Sprintf("%s-%08x", strings.TrimRight(s[:longest-9], "-"), h.Sum32())
}

// The axes.
var (
	clientsAxis    = chart.Axis{Label: "clients", Name: "clients"}
	rateAxis       = chart.Axis{Label: "arrival rate, operations a second", Name: "target-ops/s"}
	secondsAxis    = chart.Axis{Label: "seconds since the start of the measurement", Name: "seconds", Unit: chart.Seconds, Scale: chart.Linear}
	percentileAxis = chart.Axis{Label: "percentile", Name: "percentile", Unit: chart.Percentile, Scale: chart.Log}
	throughputAxis = chart.Axis{Label: "operations a second", Name: "ops/s"}
)

func latencyAxis(unit string) chart.Axis {
	label := "response time"
	if p := strings.TrimSuffix(unit, "-ns"); p != "" {
		label = p + " response time"
	}
	return chart.Axis{Label: label, Name: unit, Unit: chart.Time}
}

// across are the charts of a group against its load: throughput and p99 by clients,
// latency by arrival rate.
func across(title string, runs []*run) (charts []*chart.Chart) {
	caption := "Medians of the repetitions, with the lowest and the highest."
	if len(collect(runs, func(u *run) string { return u.subject + " " + u.bench })) == len(runs) {
		caption = "One repetition each."
	}
	byClients := func(u *run) float64 { return u.clients }
	byRate := func(u *run) float64 { return u.rate }
	for _, prefix := range kindsOf(runs) {
		name := func(what string) string {
			return strings.Join(words(title, strings.TrimSuffix(prefix, "-"), what), " ")
		}
		charts = append(charts,
			against(newChart(name("throughput by clients"), caption, clientsAxis, throughputAxis), runs, prefix+"ops/s", byClients, byRate),
			against(newChart(name("p99 by clients"), caption, clientsAxis, latencyAxis("p99-ns")), runs, prefix+"p99-ns", byClients, byRate),
			against(newChart(name("p50 by arrival rate"), caption, rateAxis, latencyAxis("p50-ns")), runs, prefix+"p50-ns", byRate, byClients),
			against(newChart(name("p99 by arrival rate"), caption, rateAxis, latencyAxis("p99-ns")), runs, prefix+"p99-ns", byRate, byClients),
		)
	}
	return slices.DeleteFunc(charts, func(c *chart.Chart) bool { return c == nil })
}

// against adds a line for each subject, and each load beside x: the metric by x. It
// returns nil if no line has two points.
func against(c *chart.Chart, runs []*run, unit string, x, beside func(*run) float64) *chart.Chart {
	line := func(u *run) string { return fmt.Sprint(u.subject, beside(u)) }
	style := styles(runs, line)
	runs = slices.DeleteFunc(slices.Clone(runs), func(u *run) bool { _, ok := u.value(unit); return !ok || x(u) == 0 })
	others := len(collect(runs, func(u *run) string { return fmt.Sprint(beside(u)) }))
	several := false
	for _, same := range collect(runs, line) {
		s := chart.Series{Name: same[0].subject, Style: style[line(same[0])], Marks: true}
		if others > 1 {
			v := fmt.Sprintf(", %v/s", beside(same[0]))
			if c.X.Name != clientsAxis.Name {
				v = ", " + plural(beside(same[0]), "client")
			}
			s.Name += v
		}
		s.Label = s.Name
		for _, reps := range collect(same, func(u *run) string { return fmt.Sprint(x(u)) }) {
			values := valuesOf(reps, unit)
			p := chart.Point{X: x(reps[0]), Y: median(values)}
			if len(values) > 1 {
				p.Lo, p.Hi = slices.Min(values), slices.Max(values)
			}
			s.Points = append(s.Points, p)
		}
		slices.SortFunc(s.Points, func(a, b chart.Point) int { return int(math.Copysign(1, a.X-b.X)) })
		several = several || len(s.Points) > 1
		c.Series = append(c.Series, s)
	}
	if !several {
		return nil
	}
	return c
}

// styles numbers what lines are of, so that it looks the same in all charts of a
// group, whatever they lack.
func styles(runs []*run, line func(*run) string) map[string]int {
	all := map[string]int{}
	for i, same := range collect(runs, line) {
		all[line(same[0])] = i
	}
	return all
}

func kindsOf(runs []*run) (kinds []string) {
	for _, u := range runs {
		for _, k := range u.kinds() {
			if !slices.Contains(kinds, k) {
				kinds = append(kinds, k)
			}
		}
	}
	return kinds
}

// valuesOf returns the values of a metric of those runs that have it.
func valuesOf(runs []*run, unit string) (values []float64) {
	for _, u := range runs {
		if v, ok := u.value(unit); ok {
			values = append(values, v)
		}
	}
	return values
}

func median(values []float64) float64 {
	s := slices.Sorted(slices.Values(values))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}

// distributions are the charts of latency by percentile: one for each subject with
// a line for each load, and where there are several subjects one for each load.
func distributions(title string, runs []*run) (charts []*chart.Chart) {
	loads := collect(runs, (*run).load)
	subjects := collect(runs, subjectOf)
	for _, prefix := range kindsOf(runs) {
		kind := strings.TrimSuffix(prefix, "-")
		if len(subjects) > 1 {
			for _, same := range loads {
				name := strings.Join(words(title, kind, "latency by percentile,", same[0].load()), " ")
				charts = append(charts, distribution(strings.TrimSuffix(name, ","), same, prefix, subjectOf, styles(runs, subjectOf)))
			}
		}
		if len(loads) > 1 || len(subjects) == 1 {
			for _, same := range subjects {
				name := strings.Join(words(title, kind, "latency by percentile,", same[0].subject), " ")
				charts = append(charts, distribution(name, same, prefix, (*run).load, styles(runs, (*run).load)))
			}
		}
	}
	return slices.DeleteFunc(charts, func(c *chart.Chart) bool { return len(c.Series) == 0 })
}

// words returns those that aren't empty.
func words(all ...string) []string {
	return slices.DeleteFunc(all, func(s string) bool { return s == "" })
}

// distribution is a chart with a line for each of what runs differ in.
func distribution(title string, runs []*run, prefix string, by func(*run) string, style map[string]int) *chart.Chart {
	c := newChart(title, "", percentileAxis, latencyAxis("response-ns"))
	c.Y.Label, c.Y.Scale = "response time", chart.Log
	exact := true
	for _, same := range collect(runs, by) {
		name := by(same[0])
		s := chart.Series{Name: name, Label: name, Style: style[name]}
		if h := merged(same, prefix); h != nil {
			s.Points = quantiles(h)
		} else {
			s.Points, s.Marks, exact = printed(same, prefix), true, false
		}
		if len(s.Points) > 0 {
			c.Series = append(c.Series, s)
		}
	}
	c.Caption = "All operations of all repetitions; a line ends with the longest operation."
	if !exact {
		c.Caption = "Marked lines are medians of the percentiles in the result lines: not all of their runs have left an .hlog."
	}
	return c
}

// merged returns the histogram of all repetitions, nil if one has left none.
func merged(runs []*run, prefix string) *hdr.Histogram {
	var sum *hdr.Histogram
	for _, u := range runs {
		k := u.recorded.of(prefix)
		switch {
		case k == nil || k.total == nil:
			return nil
		case sum == nil:
			sum = k.total.Clone()
		default:
			sum.Merge(k.total)
		}
	}
	if sum == nil || sum.TotalCount() == 0 {
		return nil
	}
	return sum
}

// quantiles returns the distribution in twenty points for each nine.
func quantiles(h *hdr.Histogram) (all []chart.Point) {
	n := float64(h.TotalCount())
	for i := 0.0; ; i++ {
		x := math.Pow(10, i/20)
		if x >= n {
			return append(all, chart.Point{X: n, Y: float64(h.Max())})
		}
		all = append(all, chart.Point{X: x, Y: float64(h.ValueAtQuantile(100 * (1 - 1/x)))})
	}
}

// printed returns the medians of the percentiles that result lines have.
func printed(runs []*run, prefix string) (all []chart.Point) {
	for _, p := range []string{"50", "90", "95", "99", "99.5", "99.9", "99.99"} {
		if values := valuesOf(runs, prefix+"p"+p+"-ns"); len(values) > 0 {
			var q float64
			fmt.Sscan(p, &q) // it is a number, as is seen above
			all = append(all, chart.Point{X: 1 / (1 - q/100), Y: median(values)})
		}
	}
	return all
}
