package report

import (
	"fmt"
	"io"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"kvbench/internal/record"
)

// A HistogramLog writes every interval's full histograms of nanoseconds, in the
// log format 1.3 of HdrHistogram, so that any percentile of any part of a run
// can be computed later, by the Java tools too. A histogram's tag is the kind of
// operation, in open loop also "<kind>-service" for the time from sending on.
// HdrHistogram's HistogramLogProcessor must be told the tag: -i run.hlog -tag read.
//
// Intervals in which nothing was done are logged: they are what a stall is.
type HistogramLog struct {
	log   *hdr.HistogramLogWriter
	start time.Time // of the run
}

// NewHistogramLog writes the head of the log of a benchmark's run.
func NewHistogramLog(w io.Writer, benchmark string, start time.Time) (*HistogramLog, error) {
	l := &HistogramLog{log: hdr.NewHistogramLogWriter(w), start: start}
	l.log.SetBaseTime(start.UnixMilli())
	seconds := float64(start.UnixMilli()) / 1e3
	for _, line := range []string{
		"[Logged by kvbench: " + benchmark + ", values in ns]",
		"[Histogram log format version " + hdr.HISTOGRAM_LOG_FORMAT_VERSION + "]",
		// The library's own methods for these two drop the fraction of a second.
		fmt.Sprintf("[BaseTime: %.3f (seconds since epoch)]", seconds),
		fmt.Sprintf("[StartTime: %.3f (seconds since epoch), %s]", seconds, start.UTC().Format("2006-01-02T15:04:05.000Z")),
	} {
		if err := l.log.OutputComment(line); err != nil {
			return nil, err
		}
	}
	return l, l.log.OutputLegend()
}

// Interval appends the histograms of one interval of every kind of operation.
func (l *HistogramLog) Interval(intervals []record.Interval) error {
	for i := range intervals {
		v := &intervals[i]
		if err := l.write(v, v.Response, v.Kind); err != nil {
			return err
		}
		if v.Service == nil {
			continue
		}
		if err := l.write(v, v.Service, v.Kind+"-service"); err != nil {
			return err
		}
	}
	return nil
}

func (l *HistogramLog) write(v *record.Interval, h *hdr.Histogram, tag string) error {
	h.SetTag(tag)
	h.SetStartTimeMs(l.start.Add(v.Start).UnixMilli())
	h.SetEndTimeMs(l.start.Add(v.End).UnixMilli())
	return l.log.OutputIntervalHistogram(h)
}
