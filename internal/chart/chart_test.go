package chart

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"math"
	"regexp"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
)

// example is a chart with all that there is: a spread, a gap, a shade, a name with
// signs that mean something in pages.
func example() *Chart {
	return &Chart{
		ID: "x-y", Title: "A < B & C",
		X: Axis{Label: "clients", Name: "clients"},
		Y: Axis{Label: "p99 response time", Name: "p99-ns", Unit: Time},
		Series: []Series{
			{Name: "etcd 3.7.3", Label: "etcd 3.7.3", Marks: true, Points: []Point{{1, 2e6, 1e6, 3e6}, {10, 4e6, 3e6, 9e6}, {100, 5e7, 4e7, 6e7}}},
			{Name: "<zk>", Label: "<zk>", Style: 1, Points: []Point{{1, 1e6, 0, 0}, {10, math.NaN(), 0, 0}, {100, 2e7, 0, 0}}},
		},
		Shades: []Shade{{From: 10, To: 20, Name: "failures", Fault: true}, {From: 1, To: 2, Name: "warm-up"}},
	}
}

func TestNumbersAndWords(t *testing.T) {
	const csv = "series,clients,p99-ns,lowest,highest\netcd 3.7.3,1,2e+06,1e+06,3e+06\netcd 3.7.3,10,4e+06,3e+06,9e+06\netcd 3.7.3,100,5e+07,4e+07,6e+07\n" +
		"<zk>,1,1e+06,0,0\n<zk>,10,,0,0\n<zk>,100,2e+07,0,0\n"
	if got := example().CSV(); got != csv {
		t.Errorf("CSV %q, want %q", got, csv)
	}
	const words = "Line chart of p99 response time by clients. etcd 3.7.3: lowest 2 ms at 1, highest 50 ms at 100. <zk>: lowest 1 ms at 1, highest 20 ms at 100. From 10 to 20: failures. From 1 to 2: warm-up."
	if got := example().Words(); got != words {
		t.Errorf("words %q, want %q", got, words)
	}
	if got := example().Texts()[4]; strings.Join(got, "|") != "<zk>|10|none|0 ns|0 ns" {
		t.Errorf("a gap is %q", got)
	}
	if _, rows := example().Ranges(); strings.Join(rows[0], "|") != "etcd 3.7.3|3|2 ms|4 ms|50 ms" {
		t.Errorf("the range is %q", rows[0])
	}
}

func TestSVG(t *testing.T) {
	svg := example().SVG()
	texts := wellFormed(t, svg)
	for _, want := range []string{"A < B & C", "etcd 3.7.3", "<zk>", "clients", "p99 response time", "10 ms", "100"} {
		if !strings.Contains(texts, want) {
			t.Errorf("no text %q in the SVG", want)
		}
	}
	if !strings.Contains(svg, "#0072B2") || strings.Contains(svg, "var(") {
		t.Error("a file's colours are not its own")
	}
}

// A page's style sheet gives a chart all of its colours, or it can't be dark.
func TestInline(t *testing.T) {
	svg := example().Inline()
	wellFormed(t, svg)
	if left := regexp.MustCompile(`#[0-9A-Fa-f]{6}`).FindAllString(svg, -1); len(left) > 0 {
		t.Errorf("colours that no style sheet can change: %q", left)
	}
	for _, want := range []string{`role="img"`, `aria-labelledby="x-y-t x-y-d"`, `<title id="x-y-t">A &lt; B &amp; C</title>`, "var(--c1)", "var(--paper)"} {
		if !strings.Contains(svg, want) {
			t.Errorf("the element has no %q", want)
		}
	}
	if strings.Contains(svg, "<?xml") || strings.Contains(svg, "width=\"") {
		t.Error("the element is a file, or has a size of its own")
	}
}

// wellFormed returns all text of a document.
func wellFormed(t *testing.T, text string) string {
	t.Helper()
	var b strings.Builder
	d := xml.NewDecoder(strings.NewReader(text))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return b.String()
		}
		if err != nil {
			t.Fatal(err)
		}
		if data, ok := token.(xml.CharData); ok {
			b.Write(data)
		}
	}
}

func TestPNG(t *testing.T) {
	var b bytes.Buffer
	if err := example().PNG(&b); err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	if size := img.Bounds().Size(); size.X != 2*width || size.Y != 2*(height+int(example().head())) {
		t.Errorf("the picture's size is %v", size)
	}
	seen := map[[3]uint32]bool{}
	for x := range img.Bounds().Dx() {
		for y := range img.Bounds().Dy() {
			r, g, b, _ := img.At(x, y).RGBA()
			seen[[3]uint32{r >> 8, g >> 8, b >> 8}] = true
		}
	}
	for _, c := range []uint32{0x0072B2, 0xC64A00, 0xF3E6C4, 0xF8D3CE, 0xFFFFFF} {
		if !seen[[3]uint32{c >> 16, c >> 8 & 0xFF, c & 0xFF}] {
			t.Errorf("nothing is drawn in #%06X", c)
		}
	}
}

// A chart without points is drawn, and doesn't panic.
func TestEmpty(t *testing.T) {
	for _, c := range []*Chart{{}, {Series: []Series{{Name: "x", Label: "x", Points: []Point{{1, math.NaN(), 0, 0}}}}}, {Y: Axis{Unit: Time}, Series: []Series{{Points: []Point{{0, 0, 0, 0}}}}}} {
		wellFormed(t, c.SVG())
	}
}

func TestTicks(t *testing.T) {
	for _, tc := range []struct {
		sentence string
		axis     Axis
		min, max float64
		want     string
	}{
		{"clients of two decades", Axis{}, 1, 100, "1 2 5 10 20 50 100"},
		{"clients of three decades have decades only", Axis{}, 1, 1000, "1 10 100 1000"},
		{"a decade or less begins with 0", Axis{}, 9000, 14000, "0 2.5k 5k 7.5k 10k 12.5k 15k"},
		{"small rates", Axis{}, 200, 700, "0 200 400 600 800"},
		{"times have the unit of the largest", Axis{Unit: Time}, 3e5, 2.4e6, "0 0.5 ms 1 ms 1.5 ms 2 ms 2.5 ms"},
		{"times of several decades have each its own", Axis{Unit: Time}, 7e5, 1.5e7, "500 µs 1 ms 2 ms 5 ms 10 ms 20 ms"},
		{"times from microseconds to seconds", Axis{Unit: Time}, 1.2e5, 3e9, "100 µs 1 ms 10 ms 100 ms 1 s"},
		{"seconds begin where they begin", Axis{Unit: Seconds, Scale: Linear}, -1.2, 10, "0 2 s 4 s 6 s 8 s 10 s"},
		{"percentiles count nines", Axis{Unit: Percentile, Scale: Log}, 1, 20000, "50 90 99 99.9 99.99"},
		{"nothing but 0", Axis{}, 0, 0, "0 0.2 0.4 0.6 0.8 1"},
	} {
		var labels []string
		for _, tick := range tc.axis.ticks(tc.axis.fit(tc.min, tc.max)) {
			if tick.Label != "" {
				labels = append(labels, tick.Label)
			}
		}
		if got := strings.Join(labels, " "); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.sentence, got, tc.want)
		}
	}
}

// Names that are too long for the side are below, and are cut off where even that
// has no room.
func TestLongNames(t *testing.T) {
	c := example()
	short := c.size(false)
	c.Series[0].Label = strings.Repeat("a long name ", 20)
	if got := c.size(false); got <= short {
		t.Errorf("the chart is %v high, with short names %v", got, short)
	}
	if texts := wellFormed(t, c.SVG()); !strings.Contains(texts, "a long n") || !strings.Contains(texts, "…") || !strings.Contains(texts, "<zk>") {
		t.Errorf("the names are not there: %q", texts)
	}
}

// A title that is too long for a line of a file has several, and a chart that is
// as high as before.
func TestLongTitles(t *testing.T) {
	c := example()
	short := c.head()
	c.Title = strings.Repeat("a long title ", 12)
	lines := wrapped(c.Title, width)
	if len(lines) < 2 || strings.Join(lines, " ") != strings.TrimSpace(c.Title) || c.head() != short+vg.Length(len(lines)-1)*titlePitch {
		t.Errorf("%q: %v high", lines, c.head())
	}
	for _, line := range lines {
		if textStyle().Width(line) > width {
			t.Errorf("%q is too long", line)
		}
		if !strings.Contains(wellFormed(t, c.SVG()), line) {
			t.Errorf("%q is not in the file", line)
		}
	}
}

// Marks keep their names where there is room for them, and never lose themselves.
func TestNamesOfMarksAreApart(t *testing.T) {
	for _, tc := range []struct {
		room vg.Length // of a nine
		want string
	}{
		{100, "50 90 99 99.9 99.99 99.999 99.9999"},
		{40, "50 90 99 99.9 99.99 99.999"},
	} {
		ticks := spaced(percentileTicks(1e6), func(v float64) vg.Length { return vg.Length(math.Log10(v)) * tc.room })
		var names []string
		for _, tick := range ticks {
			names = append(names, tick.Label)
		}
		if got := strings.Join(strings.Fields(strings.Join(names, " ")), " "); got != tc.want || len(ticks) != 8 {
			t.Errorf("%v a nine: %d marks with names %q, want %q", tc.room, len(ticks), got, tc.want)
		}
	}
}

// All values are within the axis that is chosen for them.
func TestLimitsHoldAllValues(t *testing.T) {
	for _, unit := range []Unit{Number, Time, Seconds} {
		for lo := 1e-3; lo < 1e10; lo *= 1.7 {
			for _, ratio := range []float64{1, 1.3, 7, 30, 1e4} {
				l := Axis{Unit: unit}.fit(lo, lo*ratio)
				if l.min > lo || l.max < lo*ratio || !(l.max > l.min) {
					t.Fatalf("unit %d: %v to %v has an axis from %v to %v", unit, lo, lo*ratio, l.min, l.max)
				}
			}
		}
	}
}

func TestText(t *testing.T) {
	for _, tc := range []struct {
		unit Unit
		v    float64
		want string
	}{
		{Time, 1, "1 ns"}, {Time, 651775, "652 µs"}, {Time, 1.5e6, "1.5 ms"}, {Time, 7.077e9, "7.08 s"}, {Time, 1.2e12, "1200 s"},
		{Number, 0, "0"}, {Number, 9999, "9999"}, {Number, 12340, "12.3k"}, {Number, 0.001, "0.001"}, {Number, 5e6, "5M"},
		{Percentile, 1000, "99.9 %"}, {Percentile, 1, "0 %"}, {Seconds, 0.25, "0.25 s"},
	} {
		if got := tc.unit.Text(tc.v); got != tc.want {
			t.Errorf("unit %d: %v is %q, want %q", tc.unit, tc.v, got, tc.want)
		}
	}
}

func TestLabelsDoNotOverlap(t *testing.T) {
	for _, at := range [][]vg.Length{{50, 50, 50}, {0, 1, 200}, {200, 200, 199}, {10, 100, 190}} {
		moved := append([]vg.Length(nil), at...)
		order := []int{0, 1, 2}
		if at[2] < at[0] {
			order = []int{2, 0, 1}
		}
		apart(moved, order, 0, 200)
		for n := 1; n < len(order); n++ {
			if d := moved[order[n]] - moved[order[n-1]]; d < fontSize {
				t.Errorf("%v becomes %v: %v apart", at, moved, d)
			}
		}
		if moved[order[0]] < 0 || moved[order[2]] > 200 {
			t.Errorf("%v becomes %v, outside", at, moved)
		}
	}
	far := []vg.Length{10, 100, 190}
	if apart(far, []int{0, 1, 2}, 0, 200); far[0] != 10 || far[1] != 100 || far[2] != 190 {
		t.Errorf("labels that are apart were moved: %v", far)
	}
}
