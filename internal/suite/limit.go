package suite

import (
	"fmt"
	"time"
)

// checkLimit reports a time that was asked for and is longer than BENCH_MAX_DURATION
// allows. It is an error and nothing is cut short: a shorter run is another one.
func (s *Suite) checkLimit() error {
	b := s.settings.Bench
	d, _, err := benchtime()
	switch {
	case err != nil || b.MaxDuration == 0:
		return err
	case d > b.MaxDuration:
		return fmt.Errorf("-benchtime %v: longer than BENCH_MAX_DURATION=%v", d, b.MaxDuration)
	case b.Warmup.Duration > b.MaxDuration:
		return fmt.Errorf("BENCH_WARMUP=%v: longer than BENCH_MAX_DURATION=%v", b.Warmup.Duration, b.MaxDuration)
	}
	return nil
}

// atMost returns d, or BENCH_MAX_DURATION if that is shorter; 0 is no limit.
func (s *Suite) atMost(d time.Duration) time.Duration {
	most := s.settings.Bench.MaxDuration
	if d == 0 || most > 0 && most < d {
		return most
	}
	return d
}

// checkDone reports a run of a number of operations that BENCH_MAX_DURATION ended
// before it had done them.
func (r *run) checkDone(m *measurement, ops int64) error {
	if most := r.suite.settings.Bench.MaxDuration; most > 0 && int64(m.ops()) < ops && !m.failed(r.suite.settings.Bench.MaxErrors) {
		return fmt.Errorf("-benchtime=%dx: %d operations were done within BENCH_MAX_DURATION=%v", ops, m.ops(), most)
	}
	return nil
}
