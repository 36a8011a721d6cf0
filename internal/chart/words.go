package chart

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Words says what the chart shows, for who doesn't see it.
func (c *Chart) Words() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Line chart of %s by %s.", c.Y.Label, c.X.Label)
	for _, s := range c.Series {
		points := slices.DeleteFunc(slices.Clone(s.Points), func(p Point) bool { return math.IsNaN(p.Y) })
		if len(points) == 0 {
			continue
		}
		byY := func(a, b Point) int { return cmp.Compare(a.Y, b.Y) }
		lo, hi := slices.MinFunc(points, byY), slices.MaxFunc(points, byY)
		fmt.Fprintf(&b, " %s: lowest %s at %s, highest %s at %s.", s.Name, c.Y.Unit.Text(lo.Y), c.X.Unit.Text(lo.X), c.Y.Unit.Text(hi.Y), c.X.Unit.Text(hi.X))
	}
	for _, s := range c.Shades {
		fmt.Fprintf(&b, " From %s to %s: %s.", c.X.Unit.Text(s.From), c.X.Unit.Text(s.To), s.Name)
	}
	return b.String()
}

// Text is a value for people, with its unit and three digits.
func (u Unit) Text(v float64) string {
	switch u {
	case Time:
		return scaled(v, " ", timeSteps)
	case Seconds:
		return digits(v) + " s"
	case Percentile:
		return strconv.FormatFloat(100*(1-1/v), 'g', 7, 64) + " %"
	}
	return scaled(v, "", numberSteps)
}

// A step is a unit that values are written in from its size on.
type step struct {
	size float64
	sign string
}

var (
	timeSteps   = []step{{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}, {1, "ns"}}
	numberSteps = []step{{1e9, "G"}, {1e6, "M"}, {1e4, "k"}, {1, ""}}
)

// scaled writes v in the largest unit that it reaches.
func scaled(v float64, space string, steps []step) string {
	return inUnitOf(v, v, space, steps)
}

// inUnitOf writes v in the largest unit that another value reaches.
func inUnitOf(largest, v float64, space string, steps []step) string {
	i := slices.IndexFunc(steps, func(s step) bool { return math.Abs(largest) >= s.size })
	if i < 0 {
		i = len(steps) - 1
	}
	s := steps[i]
	size := s.size
	if s.sign == "k" {
		size = 1e3
	}
	if v == 0 && space == "" {
		return "0"
	}
	return digits(v/size) + space + s.sign
}

// digits writes v with three significant digits, and never with an exponent.
func digits(v float64) string {
	if a := math.Abs(v); a >= 100 {
		return strconv.FormatFloat(math.Round(v), 'f', -1, 64)
	}
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 3, 64), 64) // it was just written
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}

// Columns returns the headings of Texts.
func (c *Chart) Columns() []string {
	h := []string{"line", c.X.Label, c.Y.Label}
	if c.spread() {
		h = append(h, "lowest", "highest")
	}
	return h
}

// Texts returns all points for people, in the columns of Columns.
func (c *Chart) Texts() (rows [][]string) {
	for _, s := range c.Series {
		for _, p := range s.Points {
			row := []string{s.Name, c.X.Unit.Text(p.X), c.Y.Unit.orNone(p.Y)}
			if c.spread() {
				row = append(row, c.Y.Unit.Text(p.Lo), c.Y.Unit.Text(p.Hi))
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// orNone is a value, or that there is none.
func (u Unit) orNone(v float64) string {
	if math.IsNaN(v) {
		return "none"
	}
	return u.Text(v)
}

// Ranges returns the range of each line, where Texts would be too much.
func (c *Chart) Ranges() (head []string, rows [][]string) {
	for _, s := range c.Series {
		var values []float64
		for _, p := range s.Points {
			if !math.IsNaN(p.Y) {
				values = append(values, p.Y)
			}
		}
		if len(values) == 0 {
			continue
		}
		slices.Sort(values)
		row := []string{s.Name, strconv.Itoa(len(s.Points))}
		for _, v := range []float64{values[0], values[len(values)/2], values[len(values)-1]} {
			row = append(row, c.Y.Unit.Text(v))
		}
		rows = append(rows, row)
	}
	return []string{"line", "points", "lowest", "middle", "highest"}, rows
}
