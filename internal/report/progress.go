package report

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"kvbench/internal/record"
)

// Progress is a line on the terminal that tells somebody who waits what is going
// on. It is written to the terminal device, not to stdout or stderr, so that
// results can be redirected and are never torn; without a terminal it shows
// nothing. Its methods can be called by several goroutines, and on a nil Progress.
//
// The line is below the cursor, which stays where it is: package testing leaves
// it behind the benchmark's name and goes on there with the result.
type Progress struct {
	mu     sync.Mutex
	tty    io.WriteCloser
	width  func() int // columns of the terminal now
	phase  string     // the phase that errors were counted in
	errors int64
	shown  bool
}

// A Status is what the progress line says.
type Status struct {
	Package   string // e.g. "kv"
	Benchmark string // its name without "Benchmark"
	Phase     string // e.g. "warm-up"
	Elapsed   time.Duration
	Total     time.Duration     // how long the phase will last; 0 if that is not known
	Intervals []record.Interval // the latest of every kind of operation
}

// NewProgress returns the progress line of the process's terminal, or nil, which
// shows nothing, if there is none.
func NewProgress() *Progress {
	tty, width := openTerminal()
	if tty == nil {
		return nil
	}
	return &Progress{tty: tty, width: width}
}

// Show replaces the line. Failures are added up over the intervals of a phase.
func (p *Progress) Show(s Status) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if phase := s.Package + s.Benchmark + s.Phase; phase != p.phase {
		p.phase, p.errors = phase, 0
	}
	for _, i := range s.Intervals {
		p.errors += i.Counts.Errors()
	}
	p.draw(s.line(p.errors))
}

// Announce replaces the line by a text, such as what is being built, until the
// next call.
func (p *Progress) Announce(line string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.draw(line)
}

// Clear removes the line. It must be called before a result is printed.
func (p *Progress) Clear() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown {
		p.draw("")
		p.shown = false
	}
}

// Close removes the line for good.
func (p *Progress) Close() {
	if p == nil {
		return
	}
	p.Clear()
	p.tty.Close()
}

// Escape sequences of ECMA-48 and the DEC VT100, which every terminal knows.
const (
	makeRoom = "\x1bD\x1b[A"      // down a line, scrolling if there is none, and up again
	goThere  = "\x1b7\x1b[B\r"    // remember the cursor, then to the start of the line below
	goBack   = "\x1b[K" + "\x1b8" // erase the rest of the line, then back
)

// draw writes text on the line below the cursor. A terminal that is gone is no
// reason to end a run of hours: its errors are nobody's to read.
func (p *Progress) draw(text string) {
	io.WriteString(p.tty, makeRoom+goThere+fit(text, p.width()-1)+goBack)
	p.shown = true
}

// fit returns text without control characters and not longer than width, which
// would make the terminal wrap it.
func fit(text string, width int) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r == '\x7f' {
			return ' '
		}
		return r
	}, text)
	if utf8.RuneCountInString(text) <= width {
		return text
	}
	return string([]rune(text)[:max(0, width-1)]) + "…"
}

// line returns e.g. "kv Write/system=cassandra/clients=256  warm-up 12s
// 31,204 ops/s  p99 14.2ms  errors 0".
func (s *Status) line(errors int64) string {
	phase := fmt.Sprintf("%s %v", s.Phase, s.Elapsed.Round(time.Second))
	if s.Total > 0 {
		phase += fmt.Sprintf(" of %v", s.Total.Round(time.Second))
	}
	parts := []string{s.Package + " " + strings.TrimPrefix(s.Benchmark, "Benchmark"), phase}
	for i := range s.Intervals {
		parts = append(parts, s.load(&s.Intervals[i]))
	}
	if len(s.Intervals) > 0 {
		parts = append(parts, "errors "+Count(errors))
	}
	return strings.Join(parts, "  ")
}

// load returns one kind's throughput and latency, with its name if there are others.
func (s *Status) load(i *record.Interval) string {
	text := ""
	if len(s.Intervals) > 1 {
		text = i.Kind + " "
	}
	if length := i.End - i.Start; length > 0 {
		text += Rate(float64(i.Counts.OK) / length.Seconds())
	}
	if p99, ok := i.Percentile(99); ok {
		text += "  p99 " + Duration(p99)
	}
	return text
}
