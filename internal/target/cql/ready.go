package cql

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"kvbench/internal/target"
)

// Version returns the version of a server, or "" if it can't be asked for in CQL:
// YCQL tells only which version of Cassandra it resembles, and ScyllaDB tells its
// own to roles with SELECT ON system.versions.
func Version(ctx context.Context, c Config) (string, error) {
	c = c.withDefaults()
	setDefault(&c.Table, "any")
	if err := c.validate(); err != nil {
		return "", err
	}
	admin, err := administer(ctx, c)
	if err != nil {
		return "", err
	}
	defer admin.Close()
	return admin.version(ctx)
}

// version asks for the server version, if the system tells it.
func (a adminSession) version(ctx context.Context) (string, error) {
	if a.config.Dialect.version == "" {
		return "", nil
	}
	got, err := a.column(ctx, a.config.Dialect.version)
	if errors.Is(err, target.ErrDenied) { // ScyllaDB's is not for everybody
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("%s: read the version: %w", a.config.Dialect.System, err)
	}
	if len(got) != 1 {
		return "", fmt.Errorf("%s: read the version: %d rows, want 1", a.config.Dialect.System, len(got))
	}
	return got[0], nil
}

// Ready writes and reads a row through each endpoint, in the table of notes, and
// returns nil if that worked. On servers that the suite owns all replicas must
// take part.
func Ready(ctx context.Context, c Config) error {
	c = c.withDefaults()
	c.Table, c.Schema = markTable, markSchema()
	c.alone = true
	if c.Owned && !c.Dialect.majority {
		c.Consistency = "ALL"
	}
	endpoints := c.Endpoints
	for i := range endpoints {
		c.Endpoints = endpoints[i : i+1]
		if err := writeAndRead(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

// writeAndRead writes a row and reads it back.
func writeAndRead(ctx context.Context, c Config) error {
	store, err := Open(ctx, c)
	if err != nil {
		return err
	}
	defer store.Close()
	client := newClient(store)
	written := target.Row{Key: []byte("ready"), Values: [][]byte{[]byte(c.Endpoints[0])}}
	if err := client.Put(ctx, written); err != nil {
		return store.errorf("write a row: %w", c.grant(err))
	}
	read := target.Row{Key: written.Key, Values: make([][]byte, 1)}
	if err := client.Get(ctx, read); err != nil {
		return store.errorf("read a row: %w", c.grant(err))
	}
	if !bytes.Equal(read.Values[0], written.Values[0]) {
		return store.errorf("read %q, %w: %q", read.Values[0], target.ErrCorrupt, written.Values[0])
	}
	return nil
}
