package report

import (
	"encoding/csv"
	"errors"
	"strings"
	"testing"
	"time"

	"kvbench/internal/record"
)

// seriesOf writes three seconds of a read and a write session: one with load,
// one with too few operations for a percentile, and a stall.
func seriesOf(t *testing.T, openLoop bool) string {
	t.Helper()
	var text strings.Builder
	series, err := NewTimeSeries(&text)
	if err != nil {
		t.Fatal(err)
	}
	read, write := newSession("read", openLoop), newSession("write", openLoop)
	for i, n := range []int{10_000, 9, 0} {
		read.succeed(n, time.Microsecond)
		write.succeed(n/10, time.Millisecond).fail(i, record.Overload, errors.New("busy"))
		end := time.Duration(i+1)*time.Second + 250*time.Millisecond
		if err := series.Interval([]record.Interval{read.Interval(end), write.Interval(end)}); err != nil {
			t.Fatal(err)
		}
	}
	return text.String()
}

func TestTimeSeriesOfClosedLoop(t *testing.T) { golden(t, "closed.csv", seriesOf(t, false)) }
func TestTimeSeriesOfOpenLoop(t *testing.T)   { golden(t, "open.csv", seriesOf(t, true)) }

func TestTimeSeriesHasNoZeroForNothing(t *testing.T) {
	rows, err := csv.NewReader(strings.NewReader(seriesOf(t, true))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows[1:] {
		for i, name := range rows[0] {
			if strings.HasSuffix(name, "-ns") && row[i] == "0" {
				t.Errorf("%s s, %s: %s is 0 where nothing was recorded", row[0], row[1], name)
			}
		}
	}
}

func TestTimeSeriesReportsWriteErrors(t *testing.T) {
	if _, err := NewTimeSeries(full{}); err == nil {
		t.Error("column names that were not written are no error")
	}
	series := &TimeSeries{csv.NewWriter(full{})}
	if err := series.Interval([]record.Interval{newSession("read", false).Interval(time.Second)}); err == nil {
		t.Error("a row that was not written is no error")
	}
}
