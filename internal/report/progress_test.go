package report

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"kvbench/internal/record"
)

// A screen is a terminal that understands what the progress line sends: the
// line with the cursor, and the one below.
type screen struct {
	text   strings.Builder
	closed bool
}

func (s *screen) Write(b []byte) (int, error) { return s.text.Write(b) }
func (s *screen) Close() error                { s.closed = true; return nil }

func newScreen(width int) (*Progress, *screen) {
	s := &screen{}
	return &Progress{tty: s, width: func() int { return width }}, s
}

// shown returns what is on the line below the cursor after each update.
func (s *screen) shown(t *testing.T) (lines []string) {
	t.Helper()
	for _, update := range strings.Split(s.text.String(), makeRoom+goThere)[1:] {
		line, rest, found := strings.Cut(update, goBack)
		if !found || rest != "" || strings.ContainsAny(line, "\x1b\r\n") {
			t.Errorf("update %q moves the cursor", update)
		}
		lines = append(lines, line)
	}
	return lines
}

func TestProgressLine(t *testing.T) {
	p, screen := newScreen(120)
	one := newSession("write", false)
	read, write := newSession("read", false), newSession("write", false)
	p.Announce("consul 1.14.11: building (minutes, once)")
	for i := range 4 {
		end := time.Duration(i+1) * time.Second
		status := Status{Package: "kv", Benchmark: "BenchmarkWrite/system=cassandra/clients=256", Phase: "warm-up", Elapsed: end}
		if i == 2 {
			status.Phase, status.Total = "run", 10*time.Minute
		}
		status.Intervals = []record.Interval{one.succeed(31_204*(i%2+1), time.Microsecond).fail(i*600, record.Overload, errors.New("busy")).Interval(end)}
		if i == 3 {
			status = Status{Package: "kv", Benchmark: "Mixed", Phase: "run", Elapsed: end, Intervals: []record.Interval{
				read.succeed(7200, time.Microsecond).Interval(end), write.Interval(end)}}
		}
		p.Show(status)
	}
	p.Close()
	p.Close()
	golden(t, "progress.txt", strings.Join(screen.shown(t), "\n"))
	if !screen.closed {
		t.Error("the terminal is still open")
	}
}

func TestProgressFitsTheTerminal(t *testing.T) {
	for width, want := range map[int]string{0: "…", 2: "…", 3: "g…", 7: "größe…", 8: "größer!", 80: "größer!"} {
		p, screen := newScreen(width)
		p.Announce("größer!")
		if got := screen.shown(t)[0]; got != want {
			t.Errorf("%d columns: got %q, want %q", width, got, want)
		}
	}
}

func TestProgressShowsTextOnly(t *testing.T) {
	p, screen := newScreen(80)
	p.Announce("one\r\ntwo\x1b[2J\x7f")
	if got, want := screen.shown(t), []string{"one  two [2J "}; got[0] != want[0] {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestProgressWithoutTerminalShowsNothing(t *testing.T) {
	t.Setenv("TERM", "dumb")
	p := NewProgress()
	if p != nil {
		t.Fatal("a dumb terminal cannot show a line in place")
	}
	p.Announce("nothing")
	p.Show(Status{})
	p.Clear()
	p.Close()
}

func TestProgressIsClearedOnlyIfShown(t *testing.T) {
	p, screen := newScreen(80)
	p.Clear()
	p.Announce("x")
	p.Clear()
	p.Clear()
	if got := screen.shown(t); len(got) != 2 || got[1] != "" {
		t.Errorf("updates %q, want the line and an empty one", got)
	}
}

func TestProgressOfSeveralGoroutines(t *testing.T) {
	p, screen := newScreen(80)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for n := range 100 {
				p.Announce(fmt.Sprintf("build %d: %d", i, n))
				p.Show(Status{Package: "kv", Benchmark: "Read", Phase: "run"})
			}
		})
	}
	all.Wait()
	if got := len(screen.shown(t)); got != 1600 {
		t.Errorf("%d whole updates, want 1600", got)
	}
}
