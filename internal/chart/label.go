package chart

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A label is a line's name at its end.
type label struct {
	text  string
	color color.RGBA
	end   float64 // value of the line's last point
	line  Series
}

// labels are those of a chart.
type labels []label

func (c *Chart) labels() (all labels) {
	for _, s := range c.Series {
		last := slices.IndexFunc(s.Points, func(p Point) bool { return !math.IsNaN(p.Y) })
		if s.Label == "" || last < 0 {
			continue
		}
		for i, p := range s.Points {
			if !math.IsNaN(p.Y) {
				last = i
			}
		}
		all = append(all, label{s.Label, s.color(), s.Points[last].Y, s})
	}
	return all
}

// width returns the room that the labels need at the right.
func (all labels) width() vg.Length {
	var w vg.Length
	for _, l := range all {
		w = max(w, sample+3+textStyle().Width(l.text))
	}
	return w + gap
}

// sample is the length of the piece of the line before its name.
const sample = 14

// draw draws the labels at x, each near its line's end and none over another.
func (all labels) draw(c draw.Canvas, x vg.Length, y func(float64) vg.Length) {
	at := make([]vg.Length, len(all))
	order := make([]int, len(all))
	for i, l := range all {
		at[i], order[i] = y(l.end), i
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(math.Copysign(1, float64(at[a]-at[b]))) })
	apart(at, order, c.Min.Y+fontSize, c.Max.Y-fontSize/2)
	for i, l := range all {
		style := textStyle()
		style.Color, style.YAlign = l.color, draw.YCenter
		c.StrokeLine2(l.line.line(), x, at[i], x+sample, at[i])
		if l.line.Marks {
			c.DrawGlyphNoClip(l.line.marker(), vg.Point{X: x + sample/2, Y: at[i]})
		}
		c.FillText(style, vg.Point{X: x + sample + 3, Y: at[i]}, l.text)
	}
}

// apart moves positions apart, as little as it can, in their order from the bottom.
func apart(at []vg.Length, order []int, bottom, top vg.Length) {
	const line = fontSize * 1.15
	for n, i := range order {
		at[i] = max(at[i], bottom+vg.Length(n)*line)
		if n > 0 {
			at[i] = max(at[i], at[order[n-1]]+line)
		}
	}
	for n := len(order) - 1; n >= 0; n-- {
		at[order[n]] = min(at[order[n]], top-vg.Length(len(order)-1-n)*line)
	}
}
