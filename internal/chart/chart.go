// Package chart draws line charts of measurements, the same ones as SVG for pages,
// as SVG files and as PNG, and says in words and in numbers what they show.
//
// Lines are told apart by their names at the right, by markers and dashes, and only
// then by colours, which are apart for the colour-blind too.
package chart

import (
	"bytes"
	"encoding/csv"
	"math"
	"strconv"
)

// A Chart is what is drawn.
type Chart struct {
	ID      string // for file names and links: lower-case letters, digits and dashes
	Title   string
	Caption string // a sentence or two below the title
	X, Y    Axis
	Series  []Series
	Shades  []Shade
}

// An Axis is what its values are.
type Axis struct {
	Label string // with the unit, such as "clients"
	Name  string // of the column in files, such as "p99-ns"
	Unit  Unit
	Scale Scale
}

// A Unit is how values are written.
type Unit int

// The units of values.
const (
	Number  Unit = iota // 12000 is 12k
	Time                // nanoseconds; 1500000 is 1.5 ms
	Seconds             // 1.5 is 1.5 s
	// Percentile values are 1/(1-q) of the quantile q, so that their logarithm
	// counts the nines: 1000 is 99.9 %.
	Percentile
)

// A Scale is how an axis is spaced.
type Scale int

// The scales. Auto is logarithmic if the values span more than a decade, else it
// is linear and begins with 0.
const (
	Auto Scale = iota
	Linear
	Log
)

// A Series is a line.
type Series struct {
	Name   string // unique in its chart
	Label  string // at the line's end; "" is none
	Style  int    // colour, marker and dashes, from 0 on
	Thin   bool   // one of several that say the same
	Marks  bool   // points are marked
	Points []Point
}

// A Point is measured, or a gap in the line if Y is NaN. Lo and Hi are the spread
// of what Y is the middle of; both are 0 if there is none.
type Point struct{ X, Y, Lo, Hi float64 }

// A Shade is a part of the X axis in which something was different.
type Shade struct {
	From, To float64
	Name     string
	Fault    bool // drawn in another colour
}

// spread reports whether any point has one.
func (c *Chart) spread() bool {
	for _, s := range c.Series {
		for _, p := range s.Points {
			if p.Hi > 0 {
				return true
			}
		}
	}
	return false
}

// Header returns the names of the columns of Rows.
func (c *Chart) Header() []string {
	h := []string{"series", c.X.Name, c.Y.Name}
	if c.spread() {
		h = append(h, "lowest", "highest")
	}
	return h
}

// Rows returns the numbers of all points, as files have them.
func (c *Chart) Rows() [][]string {
	var rows [][]string
	for _, s := range c.Series {
		for _, p := range s.Points {
			row := []string{s.Name, c.X.Unit.plain(p.X), c.Y.Unit.plain(p.Y)}
			if c.spread() {
				row = append(row, c.Y.Unit.plain(p.Lo), c.Y.Unit.plain(p.Hi))
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// CSV returns the numbers of all points as comma-separated values.
func (c *Chart) CSV() string {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.Write(c.Header()) // a buffer takes everything
	w.WriteAll(c.Rows())
	return b.String()
}

// plain is a value for programs. A gap is empty.
func (u Unit) plain(v float64) string {
	switch {
	case math.IsNaN(v):
		return ""
	case u == Percentile:
		return strconv.FormatFloat(100*(1-1/v), 'g', 8, 64)
	}
	return strconv.FormatFloat(v, 'g', 6, 64)
}

// measured calls do for all points that aren't gaps.
func (c *Chart) measured(do func(Point)) {
	for _, s := range c.Series {
		for _, p := range s.Points {
			if !math.IsNaN(p.Y) {
				do(p)
			}
		}
	}
}
