package benchreport

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

// A recording is what the files of a run hold.
type recording struct {
	kinds        []*kind
	began, ended time.Time // the zero time if there are no intervals
}

// A kind is what they hold of one kind of operation.
type kind struct {
	name   string // "read"
	rows   []row
	total  *hdr.Histogram // of response times
	points []point
}

// A row is an interval in the time series.
type row struct {
	end        float64 // seconds from the start of the run
	ok, errors float64
	max        float64 // ns
}

// A point is one interval, or several where there are too many to be drawn.
type point struct {
	from, to   float64 // seconds
	ok, errors float64
	p50, p99   float64 // ns; NaN if nothing was done
}

// points is how many points a line has, at the most: more are finer than a screen.
const points = 150

// readSeries reads a time series.
func readSeries(name string) (*recording, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(lines) == 0 {
		return nil, fmt.Errorf("%s: it is empty", name)
	}
	r := new(recording)
	for i, line := range lines[1:] {
		if err := r.addRow(lines[0], line); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, i+2, err)
		}
	}
	return r, nil
}

// addRow adds a row to its kind.
func (r *recording) addRow(header, line []string) error {
	column := func(name string) (string, error) {
		i := slices.Index(header, name)
		if i < 0 {
			return "", fmt.Errorf("there is no column %q", name)
		}
		return line[i], nil
	}
	name, err := column("kind")
	if err != nil {
		return err
	}
	var v [4]float64
	for i, c := range []string{"seconds", "ok", "errors", "max-ns"} {
		text, err := column(c)
		if err != nil {
			return err
		}
		if text == "" {
			continue
		}
		if v[i], err = strconv.ParseFloat(text, 64); err != nil {
			return fmt.Errorf("column %q: %w", c, err)
		}
	}
	k := r.kind(name)
	if k == nil {
		k = &kind{name: name}
		r.kinds = append(r.kinds, k)
	}
	k.rows = append(k.rows, row{v[0], v[1], v[2], v[3]})
	return nil
}

func (r *recording) kind(name string) *kind {
	for _, k := range r.kinds {
		if k.name == name {
			return k
		}
	}
	return nil
}

// of returns the kind whose units begin with a prefix, such as "read-"; nil if there
// is none.
func (r *recording) of(prefix string) *kind {
	switch {
	case r == nil || len(r.kinds) == 0:
		return nil
	case prefix == "":
		return r.kinds[0]
	}
	return r.kind(prefix[:len(prefix)-1])
}

// operations returns how many there were, of all kinds.
func (r *recording) operations() (n float64) {
	for _, k := range r.kinds {
		for _, row := range k.rows {
			n += row.ok + row.errors
		}
	}
	return n
}

// max returns a kind's longest operation in ns.
func (k *kind) max() (ns float64) {
	for _, row := range k.rows {
		ns = max(ns, row.max)
	}
	return ns
}

// readHistograms reads the log that belongs to the time series.
func (r *recording) readHistograms(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	bins := map[*kind]*bin{}
	log := hdr.NewHistogramLogReader(f)
	for {
		h, err := log.NextIntervalHistogram()
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if h == nil {
			break
		}
		if r.ended = time.UnixMilli(h.EndTimeMs()); r.began.IsZero() {
			r.began = time.UnixMilli(h.StartTimeMs())
		}
		if k := r.kind(h.Tag()); k != nil { // others are service times
			if bins[k] == nil {
				bins[k] = &bin{kind: k, ends: k.ends()}
			}
			bins[k].add(h)
		}
	}
	for _, k := range r.kinds {
		b := bins[k]
		if b == nil || b.n != len(k.rows) {
			return fmt.Errorf("%s: it has not as many intervals of kind %q as the .csv beside it", name, k.name)
		}
	}
	return nil
}

// A bin gathers intervals until they make a point.
type bin struct {
	kind  *kind
	ends  []int // numbers of intervals after which a point is complete
	n     int   // intervals that came
	since int   // the first that is in no point
	sum   *hdr.Histogram
}

// add adds an interval, and makes a point when one is complete. Intervals that
// aren't in the time series are counted only.
func (b *bin) add(h *hdr.Histogram) {
	b.n++
	switch {
	case b.n > len(b.kind.rows):
		return
	case b.sum == nil:
		b.sum = h
	default:
		b.sum.Merge(h)
	}
	if slices.Contains(b.ends, b.n) {
		b.complete()
	}
}

// complete makes a point of what was gathered, and adds it to the total.
func (b *bin) complete() {
	b.kind.points = append(b.kind.points, b.point())
	b.since = b.n
	if b.kind.total == nil {
		b.kind.total = b.sum
	} else {
		b.kind.total.Merge(b.sum)
	}
	b.sum = nil
}

// ends returns after which intervals a point is complete: as many to each, except
// that a rest of less than half a point is in the last one.
func (k *kind) ends() (ends []int) {
	size := (len(k.rows) + points - 1) / points
	for n := size; n < len(k.rows); n += size {
		ends = append(ends, n)
	}
	if n := len(ends); n > 0 {
		last := ends[n-1]
		whole := k.rows[last-1].end
		if last > size {
			whole -= k.rows[last-size-1].end
		}
		if k.rows[len(k.rows)-1].end-k.rows[last-1].end < whole/2 {
			ends = ends[:n-1]
		}
	}
	return append(ends, len(k.rows))
}

// point makes a point of the intervals that were gathered.
func (b *bin) point() point {
	p := point{to: b.kind.rows[b.n-1].end, p50: math.NaN(), p99: math.NaN()}
	if b.since > 0 {
		p.from = b.kind.rows[b.since-1].end
	}
	for _, r := range b.kind.rows[b.since:b.n] {
		p.ok += r.ok
		p.errors += r.errors
	}
	if b.sum.TotalCount() > 0 {
		p.p50, p.p99 = float64(b.sum.ValueAtQuantile(50)), float64(b.sum.ValueAtQuantile(99))
	}
	return p
}

// rate is the successful operations a second.
func (p point) rate() float64 {
	if p.to <= p.from {
		return math.NaN()
	}
	return p.ok / (p.to - p.from)
}
