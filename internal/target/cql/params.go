package cql

import "github.com/gocql/gocql"

// A cell is one value on its way to or from the driver. The driver converts
// values of any type; a type that converts itself costs no allocation.
type cell []byte

// MarshalCQL implements [gocql.Marshaler]. A nil cell is an empty value, not a null.
func (c *cell) MarshalCQL(gocql.TypeInfo) ([]byte, error) {
	if *c == nil {
		return []byte{}, nil
	}
	return *c, nil
}

// UnmarshalCQL implements [gocql.Unmarshaler]. It reuses the cell's capacity.
func (c *cell) UnmarshalCQL(_ gocql.TypeInfo, data []byte) error {
	*c = append((*c)[:0], data...)
	return nil
}

// params are the parameters of a statement or the values of a result: args, as
// the driver wants them, point to cells.
type params struct {
	cells []cell
	args  []any
}

func newParams(n int) params {
	p := params{cells: make([]cell, n), args: make([]any, n)}
	for i := range p.cells {
		p.args[i] = &p.cells[i]
	}
	return p
}

// setKey sets the first parameters to the columns of a key, and returns how many they are.
func (p params) setKey(partition, clustering []byte) int {
	p.cells[0] = partition
	if clustering == nil {
		return 1
	}
	p.cells[1] = clustering
	return 2
}

// forget lets go of the caller's memory.
func (p params) forget() { clear(p.cells) }
