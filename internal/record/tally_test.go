package record

import (
	"testing"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
	"pgregory.net/rapid"
)

// TestTalliesAreHistograms compares with the library's own recording, through
// several tallies that are used again and again.
func TestTalliesAreHistograms(t *testing.T) {
	value := rapid.OneOf(rapid.Int64Range(lowest, highest), rapid.Int64Range(lowest, 10_000), rapid.SampledFrom([]int64{lowest, 2047, 2048, highest}))
	rapid.Check(t, func(t *rapid.T) {
		tallies, sum := []*tally{newTally(), newTally()}, newTally()
		got, copied, want := hdr.New(lowest, highest, digits), hdr.New(lowest, highest, digits), hdr.New(lowest, highest, digits)
		for range rapid.IntRange(0, 3).Draw(t, "collections") {
			for i, v := range rapid.SliceOf(value).Draw(t, "values") {
				tallies[i%2].add(v)
				if err := want.RecordValue(v); err != nil {
					t.Fatal(err)
				}
			}
			for _, tally := range tallies {
				tally.moveTo(sum)
			}
			sum.pour(got, copied)
			if !got.Equals(want) || !copied.Equals(want) {
				t.Fatalf("%v and %v, want %v", got.Distribution(), copied.Distribution(), want.Distribution())
			}
		}
	})
}

func TestEverySlotIsItsLowestValues(t *testing.T) {
	for slot := range slotOf(highest) + 1 {
		low, next := valueOf(slot), valueOf(slot+1)
		if slotOf(low) != slot || slotOf(next-1) != slot {
			t.Fatalf("slot %d has the values from %d to %d, which are in %d and %d", slot, low, next-1, slotOf(low), slotOf(next-1))
		}
	}
}
