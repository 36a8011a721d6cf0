package chart

import (
	"math"
	"strings"

	"gonum.org/v1/plot"
)

// decade is the ratio of the largest to the smallest value from which on an axis
// is logarithmic by itself.
const decade = 10

// limits are an axis' ends and whether it is logarithmic.
type limits struct {
	min, max float64
	log      bool
}

// fit returns the limits of an axis that has values from min to max.
func (a Axis) fit(min, max float64) limits {
	log := a.Scale == Log || a.Scale == Auto && min > 0 && max/min > decade
	switch {
	case log && a.Unit == Percentile:
		return limits{1, max, true}
	case log:
		return limits{floor125(min), ceil125(max), true}
	case a.Unit == Seconds:
		return limits{min, math.Max(max, min+1e-3*math.Abs(min)+1e-9), false}
	}
	step := niceStep(max)
	return limits{0, step * math.Max(1, math.Ceil(max/step*1.02)), false}
}

// ticks are an axis' marks. Those without a label are small.
func (a Axis) ticks(l limits) []plot.Tick {
	switch {
	case a.Unit == Percentile:
		return percentileTicks(l.max)
	case l.log:
		return a.logTicks(l)
	}
	var ticks []plot.Tick
	step := niceStep(l.max - math.Min(0, l.min))
	for i := math.Ceil(l.min / step); i*step <= l.max*(1+1e-9); i++ {
		ticks = append(ticks, plot.Tick{Value: i * step, Label: a.Unit.tick(i*step, l.max)})
	}
	return ticks
}

// tick is a label of a linear axis: all in the unit of the largest.
func (u Unit) tick(v, max float64) string {
	switch {
	case v == 0:
		return "0"
	case u == Time:
		return inUnitOf(max, v, " ", timeSteps)
	case u == Number:
		return inUnitOf(max, v, "", numberSteps)
	}
	return u.Text(v)
}

// niceStep returns a round number that is about a fifth of max.
func niceStep(max float64) float64 {
	if max <= 0 {
		return 1
	}
	power := math.Pow(10, math.Floor(math.Log10(max/5)))
	for _, n := range []float64{1, 2, 2.5, 5} {
		if max/(n*power) <= 6 {
			return n * power
		}
	}
	return 10 * power
}

// percentileTicks are the percentiles that people ask for, up to max.
func percentileTicks(max float64) []plot.Tick {
	ticks := []plot.Tick{{Value: 1}, {Value: 2, Label: "50"}} // 0 would be too near
	for v := 10.0; v <= max*1.001; v *= 10 {
		ticks = append(ticks, plot.Tick{Value: v, Label: strings.TrimSuffix(Percentile.Text(v), " %")})
	}
	return ticks
}

// logTicks are labels at 1, 2 and 5 of each decade, of longer axes at 1 only.
func (a Axis) logTicks(l limits) []plot.Tick {
	var ticks []plot.Tick
	long := l.max/l.min > 501
	for power := math.Pow(10, math.Floor(math.Log10(l.min))); power <= l.max; power *= 10 {
		for n := 1.0; n < 10; n++ {
			v := n * power
			if v < l.min*0.999 || v > l.max*1.001 {
				continue
			}
			t := plot.Tick{Value: v}
			if n == 1 || !long && (n == 2 || n == 5) {
				t.Label = a.Unit.Text(v)
			}
			ticks = append(ticks, t)
		}
	}
	return ticks
}

// floor125 returns the largest of …, 0.5, 1, 2, 5, 10, … that is not above v.
func floor125(v float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(v)))
	for _, n := range []float64{5, 2} {
		if n*power <= v*1.0001 {
			return n * power
		}
	}
	return power
}

// ceil125 returns the smallest of …, 0.5, 1, 2, 5, 10, … that is not below v.
func ceil125(v float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(v)))
	for _, n := range []float64{1, 2, 5} {
		if n*power >= v*0.9999 {
			return n * power
		}
	}
	return 10 * power
}
