package chart

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"regexp"
	"strings"

	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// PNG writes the chart as a picture of twice its size.
func (c *Chart) PNG(w io.Writer) error {
	canvas := vgimg.NewWith(vgimg.UseWH(width, c.size(true)), vgimg.UseDPI(144))
	c.draw(draw.New(canvas), true)
	_, err := vgimg.PngCanvas{Canvas: canvas}.WriteTo(w)
	return err
}

// SVG returns the chart as a file.
func (c *Chart) SVG() string {
	return `<?xml version="1.0" encoding="UTF-8"?>` + "\n" + c.svg(true, fmt.Sprintf(`width="%d" height="%.0f" xmlns="http://www.w3.org/2000/svg"`, width, c.size(true)))
}

// Inline returns the chart as an element of a page, whose style sheet gives it its
// colours: the variables --ink, --muted, --grid, --shade, --fault, --paper and --c0 to --c5.
func (c *Chart) Inline() string {
	var pairs []string
	for colour, name := range variables() {
		pairs = append(pairs, colour, "var(--"+name+")")
	}
	return strings.NewReplacer(pairs...).Replace(c.svg(false, `class="chart"`))
}

// svg returns the element with some attributes. Its identifiers are the chart's, so
// that many can be in one page.
func (c *Chart) svg(titled bool, attributes string) string {
	h := c.size(titled)
	canvas := vgsvg.New(width, h)
	c.draw(draw.New(canvas), titled)
	var b bytes.Buffer
	canvas.WriteTo(&b) // a buffer takes everything
	_, body, _ := strings.Cut(b.String(), "<svg")
	_, body, _ = strings.Cut(body, ">")
	body = fit(tidy.Replace(body))
	id := html.EscapeString(c.ID)
	return fmt.Sprintf(`<svg viewBox="0 0 %d %g" %s role="img" aria-labelledby="%s-t %s-d"><title id="%s-t">%s</title><desc id="%s-d">%s</desc>`,
		width, h, attributes, id, id, id, html.EscapeString(c.Title), id, html.EscapeString(c.Words())) + body
}

// fit says of each text how wide it is, since it was placed by Liberation Sans and
// the font of whoever looks at it may be wider: then it is drawn narrower.
func fit(body string) string {
	return texts.ReplaceAllStringFunc(body, func(element string) string {
		text := html.UnescapeString(texts.FindStringSubmatch(element)[1])
		return fmt.Sprintf(`<text textLength="%.1f" lengthAdjust="spacingAndGlyphs"`, textStyle().Width(text).Points()) + strings.TrimPrefix(element, "<text")
	})
}

var texts = regexp.MustCompile(`<text [^>]*>([^<]+)</text>`)

// tidy drops what is the same for all texts and gives them fonts that are there:
// Arial and Helvetica are as wide as Liberation Sans.
var tidy = strings.NewReplacer(
	"font-family:Liberation Sans;font-variant:normal;font-weight:normal;font-style:normal", "font-family:Liberation Sans,Arial,Helvetica,sans-serif",
	"\n\t", " ",
)
