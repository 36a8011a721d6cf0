package fake_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"kvbench/internal/target"
	"kvbench/internal/target/fake"
	"kvbench/internal/target/targettest"
)

func TestContract(t *testing.T) {
	for _, columns := range []int{1, 3} {
		t.Run(fmt.Sprintf("columns=%d", columns), func(t *testing.T) {
			var broken atomic.Bool
			var last *fake.Store
			config := fake.Config{Data: &fake.Data{}, Columns: columns, Fail: func(fake.Op) error {
				if broken.Load() {
					return target.ErrUnavailable
				}
				return nil
			}}
			targettest.Test(t, func(*testing.T) target.Store {
				last = fake.Open(config)
				return last
			}, targettest.Options{
				Columns: columns,
				Pause:   func() func() { return last.Pause() },
				Break:   func() func() { broken.Store(true); return func() { broken.Store(false) } },
			})
		})
	}
}

// open returns a store as programmed and a client.
func open(t *testing.T, c fake.Config) (*fake.Store, target.Client) {
	t.Helper()
	s := fake.Open(c)
	client, err := s.Client(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s, client
}

func row(n int) target.Row {
	return target.Row{Key: fmt.Appendf(nil, "key%d", n), Values: [][]byte{[]byte("value")}}
}

// took returns how long a put takes.
func took(t *testing.T, c target.Client) time.Duration {
	t.Helper()
	start := time.Now()
	if err := c.Put(context.Background(), row(1)); err != nil {
		t.Fatal(err)
	}
	return time.Since(start)
}

func TestStall(t *testing.T) {
	for _, test := range []struct {
		name  string
		start time.Duration // of the operation
		want  time.Duration // its latency
	}{
		{"an operation that is done before the stall doesn't notice it", 0, 1 * time.Second},
		{"an operation that would end with the start of the stall just makes it", 9 * time.Second, 1 * time.Second},
		{"an operation in progress resumes where it was", 9500 * time.Millisecond, 4 * time.Second},
		{"an operation that starts with the stall waits for all of it", 10 * time.Second, 4 * time.Second},
		{"an operation that starts in the stall waits for the rest", 12 * time.Second, 2 * time.Second},
		{"an operation that starts after the stall doesn't notice it", 13 * time.Second, 1 * time.Second},
		{"an operation meets several stalls", 19500 * time.Millisecond, 3 * time.Second},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, c := open(t, fake.Config{Latency: fake.Fixed(time.Second)})
				now := time.Now()
				s.Stall(now.Add(10*time.Second), now.Add(13*time.Second))
				s.Stall(now.Add(20*time.Second), now.Add(21*time.Second))
				s.Stall(now.Add(21*time.Second), now.Add(22*time.Second))
				time.Sleep(test.start)
				if got := took(t, c); got != test.want {
					t.Errorf("latency %v, want %v", got, test.want)
				}
			})
		})
	}
}

func TestPauseEndsWhenResumed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := open(t, fake.Config{})
		resume := s.Pause()
		time.AfterFunc(time.Hour, resume)
		if got := took(t, c); got != time.Hour {
			t.Errorf("latency %v, want 1h", got)
		}
		if got := took(t, c); got != 0 {
			t.Errorf("latency after the pause %v, want 0", got)
		}
	})
}

func TestDeadlineInAStall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := open(t, fake.Config{Servers: 1})
		defer s.Pause()()
		var wg sync.WaitGroup
		for range 2 { // one is being served, one queues
			wg.Go(func() {
				ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
				defer cancel()
				c, _ := s.Client(ctx)
				start := time.Now()
				err := c.Put(ctx, row(1))
				if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != time.Minute {
					t.Errorf("put: %v after %v, want the deadline after 1m", err, time.Since(start))
				}
			})
		}
		wg.Wait()
		if n, _ := s.Count(t.Context()); n != 0 {
			t.Errorf("%d rows were written, want 0", n)
		}
	})
}

func TestServersQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := open(t, fake.Config{Servers: 2, Latency: fake.Fixed(time.Second)})
		start := time.Now()
		var wg sync.WaitGroup
		for range 6 {
			c, _ := s.Client(t.Context())
			wg.Go(func() { took(t, c) })
		}
		wg.Wait()
		if got := time.Since(start); got != 3*time.Second {
			t.Errorf("6 operations of 1 s on 2 servers took %v, want 3s", got)
		}
	})
}

func TestLatencyOfEachOperation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, c := open(t, fake.Config{Latency: func(op fake.Op) time.Duration { return time.Duration(op.N) * time.Second }})
		for n := range 4 {
			if got, want := took(t, c), time.Duration(n)*time.Second; got != want {
				t.Errorf("latency of put %d is %v, want %v", n, got, want)
			}
		}
	})
}

func TestFailures(t *testing.T) {
	s, c := open(t, fake.Config{Fail: fake.With(target.ErrOverload, fake.Every(4))})
	for n := range 8 {
		err := c.Put(t.Context(), row(n))
		if want := n%4 == 3; errors.Is(err, target.ErrOverload) != want {
			t.Errorf("put %d: %v, want a failure: %v", n, err, want)
		}
	}
	if n, _ := s.Count(t.Context()); n != 6 {
		t.Errorf("%d rows, want the 6 of the writes that didn't fail", n)
	}
}

func TestLostWrites(t *testing.T) {
	s, c := open(t, fake.Config{Lose: fake.Every(5)})
	for n := range 20 {
		if err := c.Put(t.Context(), row(n)); err != nil {
			t.Fatal(err)
		}
	}
	if n, _ := s.Count(t.Context()); n != 16 {
		t.Errorf("%d rows of 20 are left, want 16", n)
	}
	if got := s.Ops(fake.Put); got != 20 {
		t.Errorf("%d puts counted, want 20", got)
	}
}

func TestCorruption(t *testing.T) {
	_, c := open(t, fake.Config{Corrupt: fake.Every(2)})
	if err := c.Put(t.Context(), row(1)); err != nil {
		t.Fatal(err)
	}
	for n := range 4 {
		got := target.Row{Key: row(1).Key, Values: make([][]byte, 1)}
		if err := c.Get(t.Context(), got); err != nil {
			t.Fatal(err)
		}
		if same := bytes.Equal(got.Values[0], row(1).Values[0]); same != (n%2 == 0) {
			t.Errorf("read %d returned %q; the same: %v", n, got.Values[0], same)
		}
	}
}

func TestShare(t *testing.T) {
	for _, share := range []float64{0, 0.25, 1} {
		chosen, again, yes := fake.Share(share, 1), fake.Share(share, 1), 0
		for n := range int64(10000) {
			op := fake.Op{Kind: fake.Put, N: n}
			if chosen(op) != again(op) {
				t.Fatalf("share %v, operation %d: the same seed chooses differently", share, n)
			}
			if chosen(op) {
				yes++
			}
		}
		// Five standard deviations of the binomial distribution are 217.
		if want := int(share * 10000); yes < want-217 || yes > want+217 {
			t.Errorf("share %v chose %d of 10000", share, yes)
		}
	}
}

func TestNoAllocations(t *testing.T) {
	_, c := open(t, fake.Config{})
	if err := c.Put(t.Context(), row(1)); err != nil {
		t.Fatal(err)
	}
	got := target.Row{Key: row(1).Key, Values: [][]byte{make([]byte, 0, 100)}}
	ctx := t.Context()
	if n := testing.AllocsPerRun(100, func() {
		if err := c.Get(ctx, got); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("a read allocates %v times, want 0", n)
	}
}
