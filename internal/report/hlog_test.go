package report

import (
	"strings"
	"testing"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"kvbench/internal/record"
)

// runStart is not on a second: logs must keep its fraction.
var runStart = time.Date(2026, 11, 30, 21, 35, 41, 250_000_000, time.UTC)

// logRun writes a log of four intervals of one kind of operation, the third of
// which is a stall, and returns the run's summary.
func logRun(t *testing.T, w *strings.Builder, openLoop bool) *record.Summary {
	t.Helper()
	log, err := NewHistogramLog(w, "BenchmarkWrite/system=fake", runStart)
	if err != nil {
		t.Fatal(err)
	}
	s := newSession("write", openLoop)
	for i, n := range []int{20_000, 50_000, 0, 30_000} {
		s.succeed(n, time.Duration(i+1)*time.Microsecond)
		if err := log.Interval([]record.Interval{s.Interval(time.Duration(i+1) * time.Second)}); err != nil {
			t.Fatal(err)
		}
	}
	return s.summary()
}

func TestHistogramLogHead(t *testing.T) {
	var text strings.Builder
	logRun(t, &text, false)
	var head []string
	for line := range strings.Lines(text.String()) {
		if strings.Contains(line, "HISTF") {
			line, _, _ = strings.Cut(line, "HISTF")
			line += "…\n"
		}
		head = append(head, line)
	}
	golden(t, "log.hlog", strings.Join(head, ""))
}

func TestHistogramLogIsReadBack(t *testing.T) {
	var text strings.Builder
	sum := logRun(t, &text, true)
	want := map[string]*hdr.Histogram{"write": sum.Response, "write-service": sum.Service}
	got := map[string]*hdr.Histogram{}
	var starts []time.Time
	for r := hdr.NewHistogramLogReader(strings.NewReader(text.String())); ; {
		h, err := r.NextIntervalHistogram()
		if err != nil {
			t.Fatal(err)
		}
		if h == nil {
			break
		}
		if got[h.Tag()] == nil {
			got[h.Tag()] = hdr.New(1, int64(10*time.Minute), 3)
		}
		got[h.Tag()].Merge(h)
		if h.Tag() == "write" {
			starts = append(starts, time.UnixMilli(h.StartTimeMs()))
			if length := h.EndTimeMs() - h.StartTimeMs(); length < 999 || length > 1001 {
				t.Errorf("an interval of a second is %d ms long in the log", length)
			}
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d tags, want %d", len(got), len(want))
	}
	for tag, h := range want {
		if got[tag] == nil || !h.Equals(got[tag]) {
			t.Errorf("tag %q: the log's intervals together are not the summary", tag)
		}
	}
	for i, s := range starts {
		want := runStart.Add(time.Duration(i) * time.Second)
		if d := s.Sub(want).Abs(); d > time.Millisecond {
			t.Errorf("interval %d starts at %v, want %v", i, s, want)
		}
	}
	if len(starts) != 4 {
		t.Errorf("%d intervals, want 4: a stall is an interval too", len(starts))
	}
}

func TestHistogramLogReportsWriteErrors(t *testing.T) {
	if _, err := NewHistogramLog(full{}, "BenchmarkWrite", runStart); err == nil {
		t.Error("a head that was not written is no error")
	}
	log, err := NewHistogramLog(&strings.Builder{}, "BenchmarkWrite", runStart)
	if err != nil {
		t.Fatal(err)
	}
	log.log = hdr.NewHistogramLogWriter(full{})
	if err := log.Interval([]record.Interval{newSession("write", true).Interval(time.Second)}); err == nil {
		t.Error("an interval that was not written is no error")
	}
}
