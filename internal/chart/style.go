package chart

import (
	"fmt"
	"image/color"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// palette has the colours of lines on white: those of M. Okabe and K. Ito that are
// dark enough there, and darker ones in place of the others.
var palette = [...]color.RGBA{
	rgb(0x0072B2), rgb(0xC64A00), rgb(0x00795A), rgb(0xA83F8C), rgb(0x7A5A00), rgb(0x3C3C3C),
}

// Colours of what isn't data.
var (
	ink   = rgb(0x222222) // text
	muted = rgb(0x767676) // axes
	grid  = rgb(0xDDDDDD)
	shade = rgb(0xF3E6C4)
	fault = rgb(0xF8D3CE)
	paper = rgb(0xFFFFFF)
)

func rgb(v uint32) color.RGBA {
	return color.RGBA{uint8(v >> 16), uint8(v >> 8), uint8(v), 0xFF}
}

// hex is a colour as SVG has it.
func hex(c color.RGBA) string { return fmt.Sprintf("#%02X%02X%02X", c.R, c.G, c.B) }

// variables are the names of the colours in a page's style sheet.
func variables() map[string]string {
	names := map[string]string{hex(ink): "ink", hex(muted): "muted", hex(grid): "grid", hex(shade): "shade", hex(fault): "fault", hex(paper): "paper"}
	for i, c := range palette {
		names[hex(c)] = fmt.Sprintf("c%d", i)
	}
	return names
}

var dashes = [...][]vg.Length{nil, {6, 3}, {2, 2}, {8, 3, 2, 3}}

var markers = [...]draw.GlyphDrawer{
	draw.CircleGlyph{}, draw.SquareGlyph{}, draw.PyramidGlyph{}, draw.RingGlyph{}, draw.BoxGlyph{}, draw.CrossGlyph{},
}

// line returns the style of a series' line.
func (s Series) line() draw.LineStyle {
	style := draw.LineStyle{Color: s.color(), Width: 1.6, Dashes: dashes[s.Style/len(palette)%len(dashes)]}
	if s.Thin {
		style.Width = 0.9
	}
	return style
}

func (s Series) color() color.RGBA { return palette[s.Style%len(palette)] }

// marker returns the style of a series' points.
func (s Series) marker() draw.GlyphStyle {
	return draw.GlyphStyle{Color: s.color(), Radius: 2.6, Shape: markers[s.Style%len(markers)]}
}
