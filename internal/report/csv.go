package report

import (
	"encoding/csv"
	"io"
	"strconv"
	"time"

	"kvbench/internal/record"
)

// A TimeSeries writes one row of comma-separated values for every interval and
// kind of operation. A field without a number is empty. Times are in ns, except
// for the first column: the end of the interval in seconds from the run's start.
type TimeSeries struct {
	csv *csv.Writer
}

// A column of the time series.
type column struct {
	name string
	of   func(*record.Interval) string
}

// columns returns the columns of every time series, whatever was measured: a
// reader of several files finds the same everywhere.
func columns() []column {
	cs := []column{
		{"seconds", func(i *record.Interval) string { return strconv.FormatFloat(i.End.Seconds(), 'f', 3, 64) }},
		{"kind", func(i *record.Interval) string { return i.Kind }},
		{"ok", func(i *record.Interval) string { return integer(i.Counts.OK) }},
		{"errors", func(i *record.Interval) string { return integer(i.Counts.Errors()) }},
		{"ops/s", intervalRate},
		{"mean-ns", func(i *record.Interval) string { return field(i.Mean(), i.Response.TotalCount() > 0) }},
		{"p50-ns", func(i *record.Interval) string { return field(i.Percentile(50)) }},
		{"p90-ns", func(i *record.Interval) string { return field(i.Percentile(90)) }},
		{"p99-ns", func(i *record.Interval) string { return field(i.Percentile(99)) }},
		{"p99.9-ns", func(i *record.Interval) string { return field(i.Percentile(99.9)) }},
		{"max-ns", func(i *record.Interval) string { return field(i.Max, i.Response.TotalCount() > 0) }},
		{"lag-p99-ns", func(i *record.Interval) string { return field(i.LagPercentile(99)) }},
	}
	for _, class := range record.Classes() {
		cs = append(cs, column{class.String(), func(i *record.Interval) string { return integer(i.Counts.Failed[class]) }})
	}
	return cs
}

// NewTimeSeries writes the names of the columns.
func NewTimeSeries(w io.Writer) (*TimeSeries, error) {
	t := &TimeSeries{csv.NewWriter(w)}
	var names []string
	for _, c := range columns() {
		names = append(names, c.name)
	}
	return t, t.row(names)
}

// Interval appends the rows of one interval of every kind of operation.
func (t *TimeSeries) Interval(intervals []record.Interval) error {
	for i := range intervals {
		var fields []string
		for _, c := range columns() {
			fields = append(fields, c.of(&intervals[i]))
		}
		if err := t.row(fields); err != nil {
			return err
		}
	}
	return nil
}

// row writes a row at once, so that the file can be watched while it grows and
// is complete if the process is killed.
func (t *TimeSeries) row(fields []string) error {
	t.csv.Write(fields) // its error is Error's
	t.csv.Flush()
	return t.csv.Error()
}

func intervalRate(i *record.Interval) string {
	length := i.End - i.Start
	if length <= 0 {
		return ""
	}
	return strconv.FormatFloat(float64(i.Counts.OK)/length.Seconds(), 'f', 1, 64)
}

func field(d time.Duration, ok bool) string {
	if !ok {
		return ""
	}
	return integer(int64(max(1, d)))
}

func integer(n int64) string { return strconv.FormatInt(n, 10) }
