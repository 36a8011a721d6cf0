package cql

import (
	"math"
	"testing"
)

// The ranges of a count must follow each other without a gap or an overlap.
func TestSplitCoversTheRange(t *testing.T) {
	for _, whole := range []hashRange{
		{Cassandra().hashMin, Cassandra().hashMax},
		{Yugabyte().hashMin, Yugabyte().hashMax},
		{math.MinInt64, math.MinInt64},
		{math.MaxInt64 - 1, math.MaxInt64},
		{-5, 5},
		{0, 0},
	} {
		for _, n := range []int{2, 3, 7, 8, 64, 1000} {
			parts := whole.split(n)
			if len(parts) == 0 || len(parts) > n {
				t.Fatalf("%v in at most %d parts: %d", whole, n, len(parts))
			}
			if parts[0].first != whole.first || parts[len(parts)-1].last != whole.last {
				t.Errorf("%v in %d parts: from %d to %d", whole, n, parts[0].first, parts[len(parts)-1].last)
			}
			for i, part := range parts {
				if part.first > part.last {
					t.Errorf("%v in %d parts: part %d is %v", whole, n, i, part)
				}
				if i > 0 && (parts[i-1].last == math.MaxInt64 || part.first != parts[i-1].last+1) {
					t.Errorf("%v in %d parts: %v follows %v", whole, n, part, parts[i-1])
				}
			}
		}
	}
	if got := len(hashRange{math.MinInt64, math.MaxInt64}.split(countRanges)); got != countRanges {
		t.Errorf("the whole range of tokens is cut into %d, want %d", got, countRanges)
	}
}
