package chart

import (
	"image/color"
	"math"
	"slices"
	"strings"

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

// longest returns the length of the longest label.
func (all labels) longest() vg.Length {
	var w vg.Length
	for _, l := range all {
		w = max(w, gap+sample+3+textStyle().Width(l.text))
	}
	return w
}

// long reports whether the labels would leave too little room beside them. They then
// are below the chart.
func (all labels) long() bool { return all.longest() > 0.4*width }

// width returns the room that the labels need at the right.
func (all labels) width() vg.Length {
	if all.long() {
		return 10 // for the last mark of the axis
	}
	return all.longest()
}

// height returns the room that the labels need below the chart.
func (all labels) height() vg.Length {
	if !all.long() {
		return 0
	}
	return vg.Length(len(all))*pitch + 2*gap
}

// sample is the length of the piece of the line before its name.
const sample = 14

// pitch is the distance of labels below each other.
const pitch = fontSize * 1.15

// below draws the labels below each other at the bottom of the canvas.
func (all labels) below(c draw.Canvas) {
	for i, l := range all {
		l.text = shortened(l.text, c.Max.X-c.Min.X-sample-3-2*gap)
		l.draw(c, c.Min.X+gap, c.Min.Y+gap+vg.Length(len(all)-1-i)*pitch+pitch/2)
	}
}

// wrapped returns a text in lines that fit, unless a word doesn't.
func wrapped(text string, room vg.Length) (lines []string) {
	for _, word := range strings.Fields(text) {
		if n := len(lines); n > 0 && textStyle().Width(lines[n-1]+" "+word) <= room {
			lines[n-1] += " " + word
			continue
		}
		lines = append(lines, word)
	}
	return lines
}

// shortened returns as much of a text as fits.
func shortened(text string, room vg.Length) string {
	runes := []rune(text)
	for n := len(runes); n > 0 && textStyle().Width(text) > room; n-- {
		text = string(runes[:n]) + "…"
	}
	return text
}

// beside draws the labels at x, each near its line's end and none over another.
func (all labels) beside(c draw.Canvas, x vg.Length, y func(float64) vg.Length) {
	at := make([]vg.Length, len(all))
	order := make([]int, len(all))
	for i, l := range all {
		at[i], order[i] = y(l.end), i
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(math.Copysign(1, float64(at[a]-at[b]))) })
	apart(at, order, c.Min.Y+fontSize, c.Max.Y-fontSize/2)
	for i, l := range all {
		l.draw(c, x, at[i])
	}
}

// draw draws a piece of the line, and its name.
func (l label) draw(c draw.Canvas, x, y vg.Length) {
	c.StrokeLine2(l.line.line(), x, y, x+sample, y)
	if l.line.Marks {
		c.DrawGlyphNoClip(l.line.marker(), vg.Point{X: x + sample/2, Y: y})
	}
	style := textStyle()
	style.Color, style.YAlign = l.color, draw.YCenter
	c.FillText(style, vg.Point{X: x + sample + 3, Y: y}, l.text)
}

// apart moves positions apart, as little as it can, in their order from the bottom.
func apart(at []vg.Length, order []int, bottom, top vg.Length) {
	for n, i := range order {
		at[i] = max(at[i], bottom+vg.Length(n)*pitch)
		if n > 0 {
			at[i] = max(at[i], at[order[n-1]]+pitch)
		}
	}
	for n := len(order) - 1; n >= 0; n-- {
		at[order[n]] = min(at[order[n]], top-vg.Length(len(order)-1-n)*pitch)
	}
}
