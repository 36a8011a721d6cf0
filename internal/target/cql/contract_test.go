package cql

import (
	"context"
	"encoding/hex"
	"testing"

	"kvbench/internal/target"
	"kvbench/internal/target/targettest"
)

// The contract, for each schema and kind of batch, against a real Cassandra:
// once with servers that stall, once behind a proxy that breaks connections.

func TestContract(t *testing.T) {
	t.Run("key-value, logged batches, stalls", func(t *testing.T) {
		c := testConfig(t, "contract_kv", KeyValue())
		targettest.Test(t, opener(c), targettest.Options{Pause: targettest.Pause(t, servers.Start(t))})
	})
	t.Run("partitioned, unlogged batches, breaks", func(t *testing.T) {
		c := testConfig(t, "contract_partitioned", Partitioned())
		c.Batch = "unlogged"
		var opts targettest.Options
		if len(c.Endpoints) == 1 { // of several, the driver goes past the proxy to the others
			proxy := targettest.NewProxy(t, c.Endpoints[0])
			c.Endpoints = []string{proxy.Addr}
			opts.Break = proxy.Break
		}
		targettest.Test(t, opener(c), opts)
	})
	t.Run("wide, coalescing, two connections to each node", func(t *testing.T) {
		c := testConfig(t, "contract_text", Wide(2))
		c.Conns, c.Coalesce = 2, coalesceWait
		open := func(t *testing.T) target.Store { return textStore{opener(c)(t)} }
		targettest.Test(t, open, targettest.Options{Columns: 2})
	})
}

func opener(c Config) func(t *testing.T) target.Store {
	return func(t *testing.T) target.Store {
		t.Helper()
		s, err := Open(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
}

// A textStore hides from the contract test that columns hold text, not bytes.
type textStore struct{ target.Store }

func (s textStore) Client(ctx context.Context) (target.Client, error) {
	c, err := s.Store.Client(ctx)
	return textClient{c}, err
}

type textClient struct{ target.Client }

func (c textClient) Put(ctx context.Context, row target.Row) error {
	return c.Client.Put(ctx, encoded(row))
}

func (c textClient) Get(ctx context.Context, row target.Row) error {
	text := target.Row{Key: row.Key, Values: make([][]byte, len(row.Values))}
	if err := c.Client.Get(ctx, text); err != nil {
		return err
	}
	for i, v := range text.Values {
		var err error
		if row.Values[i], err = hex.AppendDecode(row.Values[i][:0], v); err != nil {
			return err
		}
	}
	return nil
}

func (c textClient) CheckBatch(rows []target.Row) error {
	return c.Client.(target.Batcher).CheckBatch(rows)
}

func (c textClient) PutBatch(ctx context.Context, rows []target.Row) error {
	texts := make([]target.Row, len(rows))
	for i, row := range rows {
		texts[i] = encoded(row)
	}
	return c.Client.(target.Batcher).PutBatch(ctx, texts)
}

func encoded(row target.Row) target.Row {
	text := target.Row{Key: row.Key}
	for _, v := range row.Values {
		text.Values = append(text.Values, hex.AppendEncode(nil, v))
	}
	return text
}
