package benchreport

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"kvbench/internal/chart"
)

// warmupShown is the part of the measurement's length that a warm-up takes of a
// chart's width, at the most.
const warmupShown = 0.16

// overTime are the charts of what happened during runs: throughput, and latency,
// for each subject and load with a line for each repetition.
func overTime(title string, runs []*run) (charts []*chart.Chart) {
	for _, same := range collect(runs, func(u *run) string { return u.subject + " " + u.load() }) {
		name := strings.Join(words(title, same[0].subject, same[0].load()), ", ")
		rate := newChart(name+": throughput over time", "", secondsAxis, throughputAxis)
		latency := newChart(name+": latency over time", "", secondsAxis, latencyAxis("p50-ns"))
		latency.Y.Label, latency.Y.Name, latency.Y.Scale = "response time", "response-ns", chart.Log
		rate.Y.Scale = chart.Linear
		for i, u := range same {
			for j, prefix := range u.kinds() {
				if k := u.recorded.of(prefix); k != nil {
					addTimes(rate, latency, k, lineName(len(same), i), prefix, 2*j, i == 0)
				}
			}
		}
		if len(rate.Series) == 0 {
			continue
		}
		rate.Shades, rate.Caption = shades(same)
		latency.Shades, latency.Caption = rate.Shades, rate.Caption
		charts = append(charts, rate, latency)
	}
	return charts
}

func lineName(of, i int) string {
	if of == 1 {
		return ""
	}
	return fmt.Sprintf(", repetition %d", i+1)
}

// addTimes adds the lines of one kind of operation in one repetition.
func addTimes(rate, latency *chart.Chart, k *kind, repetition, prefix string, style int, first bool) {
	lines := []chart.Series{{Name: strings.TrimSuffix(prefix, "-"), Style: style}, {Name: prefix + "p50", Style: style}, {Name: prefix + "p99", Style: style + 1}}
	if prefix == "" {
		lines[0].Name = "throughput"
	}
	for i := range lines {
		if first && (i > 0 || prefix != "") {
			lines[i].Label = lines[i].Name
		}
		lines[i].Name += repetition
		lines[i].Thin = repetition != ""
	}
	for _, p := range k.points {
		lines[0].Points = append(lines[0].Points, chart.Point{X: p.to, Y: p.rate()})
		lines[1].Points = append(lines[1].Points, chart.Point{X: p.to, Y: p.p50})
		lines[2].Points = append(lines[2].Points, chart.Point{X: p.to, Y: p.p99})
	}
	rate.Series = append(rate.Series, lines[0])
	latency.Series = append(latency.Series, lines[1:]...)
}

// span is about how long a point is.
func span(seconds float64) string {
	if n := math.Round(seconds); n > 1 {
		return plural(n, "second")
	}
	return "second"
}

// shades are the warm-up before the runs and the faults during them, and a caption that says what they are and how long a point is.
func shades(runs []*run) (all []chart.Shade, caption string) {
	var warmups []string
	var longest, end, step float64
	var faults []chart.Shade
	for _, u := range runs {
		if ns, ok := u.value("warmup-ns"); ok {
			warmups = append(warmups, chart.Time.Text(ns))
			longest = max(longest, ns/1e9)
		}
		if u.recorded == nil {
			continue
		}
		for _, k := range u.recorded.kinds {
			for _, p := range k.points {
				end, step = max(end, p.to), max(step, p.to-p.from)
			}
			faults = append(faults, k.faults()...)
		}
	}
	caption = fmt.Sprintf("A point is what happened in the %s before it.", span(step))
	if len(runs) > 1 {
		caption += " Repetitions are drawn over each other."
	}
	if len(warmups) > 0 {
		all = append(all, chart.Shade{From: -min(longest, warmupShown*end), To: 0, Name: "warm-up"})
		caption += " Shaded before 0: the warm-up, which isn't recorded, of " + strings.Join(warmups, ", ") + "."
	}
	if len(faults) > 0 {
		caption += " Shaded later: operations failed, or none was done."
	}
	return append(all, joined(faults)...), caption
}

// faults are the parts in which operations failed, or nothing was done.
func (k *kind) faults() (all []chart.Shade) {
	for _, p := range k.points {
		if p.errors > 0 || p.ok == 0 {
			all = append(all, chart.Shade{From: p.from, To: p.to, Name: "faults", Fault: true})
		}
	}
	return all
}

// joined makes one of shades that touch each other.
func joined(shades []chart.Shade) (all []chart.Shade) {
	slices.SortFunc(shades, func(a, b chart.Shade) int { return cmp.Compare(a.From, b.From) })
	for _, s := range shades {
		if n := len(all); n > 0 && s.From <= all[n-1].To {
			all[n-1].To = max(all[n-1].To, s.To)
			continue
		}
		all = append(all, s)
	}
	return all
}
