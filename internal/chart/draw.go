package chart

import (
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// The size of a chart in points, without a title and names below it, and of its text. A telephone
// of 400 px shows it at seven eighths of it.
const (
	width    = 420
	height   = 270
	row      = 18 // for an axis' name
	fontSize = 11.5
	gap      = 6 // between a line's end and its name, and between names

	titlePitch = 14 // of the lines of a title
)

// size returns the height of the whole chart.
func (c *Chart) size(titled bool) vg.Length {
	h := height + c.labels().height()
	if titled {
		h += c.head()
	}
	return h
}

// head returns the height of the title.
func (c *Chart) head() vg.Length {
	return vg.Length(len(wrapped(c.Title, width-8)))*titlePitch + 8
}

// draw draws the chart on a canvas, with its title if that is not beside it.
func (c *Chart) draw(canvas draw.Canvas, titled bool) {
	canvas.FillPolygon(paper, []vg.Point{canvas.Min, {X: canvas.Max.X, Y: canvas.Min.Y}, canvas.Max, {X: canvas.Min.X, Y: canvas.Max.Y}})
	if titled {
		style := textStyle()
		style.YAlign = draw.YTop
		canvas = draw.Crop(canvas, 0, 0, 0, -c.head())
		for i, line := range wrapped(c.Title, width-8) {
			canvas.FillText(style, vg.Point{X: canvas.Min.X + 4, Y: canvas.Max.Y + c.head() - 4 - vg.Length(i)*titlePitch}, line)
		}
	}
	p := c.plot()
	labels := c.labels()
	if labels.long() {
		labels.below(canvas)
		canvas = draw.Crop(canvas, 0, 0, labels.height(), 0)
	}
	inner := draw.Crop(canvas, 2, -labels.width()-4, row, -row)
	data := p.DataCanvas(inner)
	x, y := p.Transforms(&data)
	p.X.Tick.Marker = plot.ConstantTicks(spaced(p.X.Tick.Marker.Ticks(p.X.Min, p.X.Max), x))
	p.Draw(inner)
	if !labels.long() {
		labels.beside(inner, data.Max.X+gap, y)
	}
	c.nameAxes(canvas, data)
}

// spaced takes away the names of marks that would be over those before them.
func spaced(ticks []plot.Tick, x func(float64) vg.Length) []plot.Tick {
	end := vg.Length(math.Inf(-1))
	for i, t := range ticks {
		half := textStyle().Width(t.Label) / 2
		switch {
		case t.Label == "":
		case x(t.Value)-half < end+gap:
			ticks[i].Label = ""
		default:
			end = x(t.Value) + half
		}
	}
	return ticks
}

// nameAxes writes the names of the axes: of Y above it, where it can be read without
// turning one's head, and of X below. Gonum's own, of logarithmic axes, would take
// room from the lines.
func (c *Chart) nameAxes(canvas, data draw.Canvas) {
	style := textStyle()
	style.YAlign = draw.YTop
	canvas.FillText(style, vg.Point{X: canvas.Min.X + 4, Y: canvas.Max.Y - 2}, c.Y.Label)
	style.YAlign, style.XAlign = draw.YBottom, draw.XCenter
	canvas.FillText(style, vg.Point{X: data.Center().X, Y: canvas.Min.Y + 3}, c.X.Label)
}

// plot returns what gonum draws of the chart.
func (c *Chart) plot() *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	x, y := c.limits()
	c.X.dress(&p.X, x)
	c.Y.dress(&p.Y, y)
	lines := plotter.NewGrid()
	lines.Horizontal.Color, lines.Vertical.Color = grid, grid
	for _, s := range c.Shades {
		p.Add(shaded(s))
	}
	p.Add(lines)
	for _, s := range c.Series {
		p.Add(drawn(s))
	}
	return p
}

// limits returns the ends of both axes.
func (c *Chart) limits() (x, y limits) {
	var xs, ys []float64
	c.measured(func(p Point) {
		xs, ys = append(xs, p.X), append(ys, p.Y)
		if p.Hi > 0 {
			ys = append(ys, p.Lo, p.Hi)
		}
	})
	for _, s := range c.Shades {
		xs = append(xs, s.From, s.To)
	}
	if len(xs) == 0 {
		xs, ys = []float64{1}, []float64{1}
	}
	return c.X.fit(slices.Min(xs), slices.Max(xs)), c.Y.fit(slices.Min(ys), slices.Max(ys))
}

// dress gives an axis of a plot its limits, marks and looks.
func (a Axis) dress(axis *plot.Axis, l limits) {
	axis.Min, axis.Max = l.min, l.max
	if l.log {
		axis.Scale = plot.LogScale{}
	}
	axis.Tick.Marker = plot.ConstantTicks(a.ticks(l))
	axis.Tick.Label.Font, axis.Tick.Label.Color = sans(), ink
	axis.LineStyle.Color, axis.Tick.LineStyle.Color = muted, muted
	axis.Padding = 0
}

func sans() font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: fontSize}
}

// drawn is a series as gonum draws it.
type drawn Series

// Plot draws the series.
func (d drawn) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	s := Series(d)
	for _, part := range parts(s.Points) {
		var line []vg.Point
		for _, point := range part {
			line = append(line, vg.Point{X: x(point.X), Y: y(point.Y)})
		}
		c.StrokeLines(s.line(), line)
		for i, at := range line {
			if s.Marks || len(line) == 1 {
				c.DrawGlyphNoClip(s.marker(), at)
			}
			if point := part[i]; point.Hi > 0 {
				bar := draw.LineStyle{Color: s.color(), Width: 1}
				lo, hi := y(point.Lo), y(point.Hi)
				c.StrokeLine2(bar, at.X, lo, at.X, hi)
				c.StrokeLine2(bar, at.X-3, lo, at.X+3, lo)
				c.StrokeLine2(bar, at.X-3, hi, at.X+3, hi)
			}
		}
	}
}

// parts cuts a line at its gaps.
func parts(points []Point) (all [][]Point) {
	var part []Point
	for _, p := range append(slices.Clone(points), Point{Y: math.NaN()}) {
		switch {
		case !math.IsNaN(p.Y):
			part = append(part, p)
		case len(part) > 0:
			all, part = append(all, part), nil
		}
	}
	return all
}

// shaded is a shade as gonum draws it.
type shaded Shade

// Plot draws the shade over the whole height, and its name at the top.
func (s shaded) Plot(c draw.Canvas, p *plot.Plot) {
	x, _ := p.Transforms(&c)
	from, to := x(s.From), x(s.To)
	color := shade
	if s.Fault {
		color = fault
	}
	c.FillPolygon(color, []vg.Point{{X: from, Y: c.Min.Y}, {X: to, Y: c.Min.Y}, {X: to, Y: c.Max.Y}, {X: from, Y: c.Max.Y}})
	if style := textStyle(); style.Width(s.Name) < to-from {
		style.XAlign, style.YAlign = draw.XCenter, draw.YTop
		c.FillText(style, vg.Point{X: (from + to) / 2, Y: c.Max.Y - 2}, s.Name)
	}
}

func textStyle() draw.TextStyle {
	return draw.TextStyle{Color: ink, Font: sans(), Handler: text.Plain{Fonts: font.DefaultCache}}
}
