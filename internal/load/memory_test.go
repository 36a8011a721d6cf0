package load

import (
	"testing"
	"time"

	"kvbench/internal/record"
)

// BenchmarkMemory measures the resident memory of a run at full speed after a
// tenth of -benchtime and towards its end: what grows with the length of a run
// shows as the difference. With -benchtime=10m that is after 1 and 10 minutes.
func BenchmarkMemory(b *testing.B) {
	const clients = 16 // more that never wait would keep the collector from its turn
	d := benchDuration(b)
	every := min(time.Second, d/10)
	var early, late int64
	g := Group{Clients: noops(clients), Recorder: record.New(record.Config{Clients: clients, Window: d})}
	once(b, Plan{Duration: d, Groups: []Group{g}, Every: every, OnInterval: func(is []record.Interval) bool {
		switch end := is[0].End; {
		case early == 0 && end >= d/10:
			early = resident(b)
		case late == 0 && end >= d-2*every && end < d: // the clients are still at it
			late = resident(b)
		}
		return false
	}})
	b.ReportMetric(float64(early), "rss-early-bytes")
	b.ReportMetric(float64(late), "rss-late-bytes")
}
