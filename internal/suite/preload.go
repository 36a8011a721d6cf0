package suite

import (
	"context"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"slices"

	"kvbench/internal/load"
	"kvbench/internal/report"
	"kvbench/internal/target"
)

// Preloaded rows are written once a process. On a named cluster a note beside the
// suite's mark says which rows a table holds, from the moment when all of them have
// been counted until rows are about to be added, so that BENCH_REUSE takes over
// complete preloads only. Updates change neither keys nor sizes, and leave it.

// preloadClients write the preloaded rows if the job has fewer clients: one that
// waits for each reply would be at a million rows for an hour.
const preloadClients = 64

// preload writes the job's preloaded rows unless they are there.
func (r *run) preload() error {
	want := r.job.Preload
	if want == 0 {
		return nil
	}
	if r.sys.preloaded[r.job.Table.Name] != want {
		if err := r.takeOver(); err != nil {
			return fmt.Errorf("preload: %w", err)
		}
	}
	if r.sys.preloaded[r.job.Table.Name] != want {
		if err := r.writePreload(); err != nil {
			return fmt.Errorf("preload: %w", err)
		}
	}
	if r.job.inserts() { // and so ends with other rows
		return r.note(r.ctx, "")
	}
	return nil
}

// takeOver takes preloaded rows from an earlier process, if that is wanted and
// they are what this one would write.
func (r *run) takeOver() error {
	if !r.sys.named() || !r.suite.settings.Bench.Reuse {
		return nil
	}
	var found string
	err := r.sys.inRealm(r.ctx, func(ctx context.Context, realm target.Realm) (err error) {
		found, err = realm.Note(ctx, r.noteName())
		return err
	})
	if err != nil || found != r.description() {
		return err
	}
	count, err := r.table.count(r.ctx, r.job.Preload)
	if err != nil {
		return err
	}
	if count != r.job.Preload {
		return fmt.Errorf("BENCH_REUSE=true: the store holds %d rows, and was left with %d", count, r.job.Preload)
	}
	r.sys.preloaded[r.job.Table.Name] = r.job.Preload
	return nil
}

// writePreload writes the rows and then says in a note that it has.
func (r *run) writePreload() error {
	r.suite.progress.Announce(fmt.Sprintf("%s: preloading %s rows", r.name, report.Count(r.job.Preload)))
	if err := r.note(r.ctx, ""); err != nil {
		return err
	}
	if err := r.table.clear(r.ctx); err != nil {
		return err
	}
	more, err := r.connect(max(0, preloadClients-len(r.clients)))
	defer disconnect(more)
	if err != nil {
		return err
	}
	if err := r.table.preload(r.ctx, slices.Concat(r.clients, more), r.preloadArrivals(), r.plan()); err != nil {
		return err
	}
	r.sys.preloaded[r.job.Table.Name] = r.job.Preload
	return r.note(r.ctx, r.description())
}

// preloadArrivals returns the arrivals of preloaded rows: clusters of others get
// no more load than BENCH_RATE, whatever the load is for.
func (r *run) preloadArrivals() load.Arrivals {
	if rate := r.suite.settings.Bench.Rate; r.sys.named() && rate > 0 {
		return load.Uniform(rate)
	}
	return nil
}

// note says what rows the job's table holds, "" for others than preloaded ones.
func (r *run) note(ctx context.Context, text string) error {
	if !r.sys.named() {
		return nil
	}
	return r.sys.inRealm(ctx, func(ctx context.Context, realm target.Realm) error {
		return realm.SetNote(ctx, r.noteName(), text)
	})
}

func (r *run) noteName() string { return "preload." + r.job.Table.Name }

// description says what the preloaded rows are: their number, and a fingerprint
// of the first and the last, which depend on everything that rows are made from.
func (r *run) description() string {
	sum := sha256.New()
	row, rng := r.job.Rows.buffer(), rand.New(rand.NewPCG(0, 0))
	for _, n := range []int64{0, r.job.Preload - 1} {
		r.job.Rows.fill(&row, n, rng)
		fmt.Fprintf(sum, "%q %q\n", row.Key, row.Values)
	}
	return fmt.Sprintf("%d rows, %x", r.job.Preload, sum.Sum(nil)[:8])
}
