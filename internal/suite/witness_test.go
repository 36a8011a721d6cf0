package suite

import (
	"context"
	"encoding/json"
	"hash/fnv"
	"os"
	"sync"
	"syscall"
	"testing"
	"time"

	"kvbench/internal/target"
	"kvbench/internal/target/fake"
)

// A test that runs this binary learns what reached the fake from a file, whose
// name the variable says.
const witnessVariable = "KVBENCH_WITNESS"

// seen is what was seen of a table.
type seen struct {
	Rows   int64          // in it at the end
	Opened int            // stores
	Hired  int            // clients
	Calls  map[string]int // of clients, by method
	// Trace hashes all keys and written values by method, in their order, which is
	// repeatable if there is one client.
	Trace map[string]uint64
}

var witnessed struct {
	sync.Mutex
	tables map[string]*seen
}

// A witness is a store that takes down what it is asked for.
type witness struct {
	*fake.Store
	table string
}

func newWitness(table string, s *fake.Store) target.Store {
	seenOf(table).Opened++ // one at a time is opened
	return &witness{s, table}
}

// seenOf returns what is seen of a table.
func seenOf(table string) *seen {
	witnessed.Lock()
	defer witnessed.Unlock()
	if witnessed.tables == nil {
		witnessed.tables = map[string]*seen{}
	}
	if witnessed.tables[table] == nil {
		witnessed.tables[table] = &seen{Calls: map[string]int{}, Trace: map[string]uint64{}}
	}
	return witnessed.tables[table]
}

// called takes down a call that is not of a client.
func called(table, what string) {
	s := seenOf(table)
	witnessed.Lock()
	defer witnessed.Unlock()
	s.Calls[what]++
}

// Count is off by one if the fake is to miscount.
func (w *witness) Count(ctx context.Context) (int64, error) {
	n, err := w.Store.Count(ctx)
	if os.Getenv(misbehaviour) == "miscount" && w.table != "get" {
		n++
	}
	return n, err
}

// Close interrupts the process if that is to happen between two benchmarks.
func (w *witness) Close() error {
	if os.Getenv(misbehaviour) == "between" {
		interrupt(os.Interrupt)
		<-bench.ctx.Done()
	}
	return w.Store.Close()
}

func (w *witness) Client(ctx context.Context) (target.Client, error) {
	witnessed.Lock()
	witnessed.tables[w.table].Hired++
	witnessed.Unlock()
	c, err := w.Store.Client(ctx)
	return &witnessClient{c.(fakeClient), w.table}, err
}

func (w *witness) take(method string, rows ...target.Row) {
	witnessed.Lock()
	defer witnessed.Unlock()
	s := witnessed.tables[w.table]
	s.Calls[method]++
	h := fnv.New64a()
	for _, row := range rows {
		h.Write(row.Key)
		for _, v := range row.Values {
			h.Write(v)
		}
	}
	s.Trace[method] = s.Trace[method]*31 + h.Sum64()
}

type fakeClient interface {
	target.Client
	target.Batcher
	target.StaleGetter
}

type witnessClient struct {
	fakeClient
	table string
}

func (c *witnessClient) take(method string, rows ...target.Row) {
	(&witness{table: c.table}).take(method, rows...)
}

func (c *witnessClient) Put(ctx context.Context, row target.Row) error {
	c.take("Put", row)
	return c.fakeClient.Put(ctx, row)
}

func (c *witnessClient) Get(ctx context.Context, row target.Row) error {
	c.take("Get", target.Row{Key: row.Key})
	return c.fakeClient.Get(ctx, row)
}

func (c *witnessClient) GetStale(ctx context.Context, row target.Row) error {
	c.take("GetStale", target.Row{Key: row.Key})
	return c.fakeClient.GetStale(ctx, row)
}

func (c *witnessClient) PutBatch(ctx context.Context, rows []target.Row) error {
	c.take("PutBatch", rows...)
	return c.fakeClient.PutBatch(ctx, rows)
}

// saveWitness writes what was seen if a test wants to know it.
func saveWitness() error {
	file := os.Getenv(witnessVariable)
	if file == "" {
		return nil
	}
	for name, s := range witnessed.tables {
		s.Rows, _ = fake.Open(fake.Config{Data: dataOf(name)}).Count(context.Background())
	}
	text, err := json.Marshal(witnessed.tables)
	if err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o600)
}

// loadWitness reads it, by table.
func loadWitness(t *testing.T, file string) map[string]seen {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var tables map[string]seen
	if err := json.Unmarshal(text, &tables); err != nil {
		t.Fatal(err)
	}
	return tables
}

const (
	sigterm = syscall.SIGTERM
	sighup  = syscall.SIGHUP
)

// interrupt sends the process a signal.
func interrupt(s os.Signal) {
	if err := syscall.Kill(os.Getpid(), s.(syscall.Signal)); err != nil {
		panic(err)
	}
}

// interruptAt is a latency during whose n-th operation the process gets a signal.
func interruptAt(n int64, s os.Signal) func(fake.Op) time.Duration {
	return func(op fake.Op) time.Duration {
		if op.N == n {
			interrupt(s)
		}
		return quick
	}
}
