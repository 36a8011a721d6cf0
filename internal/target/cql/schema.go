package cql

import (
	"bytes"
	"fmt"
	"strings"
)

// A Schema is the shape of a table, as data: the columns of its primary key and
// of a row's values. The zero value is [KeyValue].
type Schema struct {
	key          []column
	values       []column
	split        func(key []byte) int // where the clustering key starts; nil: the key is all partition key
	uncompressed bool
}

// A column has a name and a CQL type. A column with a constant has the same
// value in each row.
type column struct{ name, typ, constant string }

// KeyValue is the table of yb-sample-apps' CassandraKeyValue: a row is a
// partition with one blob.
func KeyValue() Schema {
	return Schema{
		key:    []column{{"k", "varchar", ""}},
		values: []column{{"v", "blob", ""}},
	}
}

// Wide is the table of NDBench's Cassandra plug-in: n text columns (valid UTF-8
// only), one row a partition, the clustering column always 1, no compression.
func Wide(n int) Schema {
	s := Schema{
		key:          []column{{"key", "text", ""}, {"column1", "int", "1"}},
		uncompressed: true,
	}
	for i := range n {
		s.values = append(s.values, column{fmt.Sprintf("value%d", i), "text", ""})
	}
	return s
}

// Partitioned is a table whose partitions hold several rows, so that a batch
// may lie within one. A row's key is cut behind its last ':': what comes first
// is the partition key, what follows the clustering key. "17:03" is row "03" of
// partition "17:"; a key without ':' is a partition of its own.
func Partitioned() Schema {
	return Schema{
		key:    []column{{"p", "varchar", ""}, {"k", "varchar", ""}},
		values: []column{{"v", "blob", ""}},
		split:  behindColon,
	}
}

// behindColon returns the index behind the last ':', or the key's length.
func behindColon(key []byte) int {
	if i := bytes.LastIndexByte(key, ':'); i >= 0 {
		return i + 1
	}
	return len(key)
}

// orDefault is s, or KeyValue if s is the zero value.
func (s Schema) orDefault() Schema {
	if len(s.key) == 0 {
		return KeyValue()
	}
	return s
}

// cut returns the values of the key columns that aren't constant; the second is
// nil if the schema has one such column.
func (s Schema) cut(key []byte) (partition, clustering []byte) {
	if s.split == nil {
		return key, nil
	}
	i := s.split(key)
	return key[:i], key[i:]
}

// bound are the columns of the key that a statement has a parameter for.
func (s Schema) bound() []column {
	var bound []column
	for _, c := range s.key {
		if c.constant == "" {
			bound = append(bound, c)
		}
	}
	return bound
}

// create returns the statement that creates table with properties.
func (s Schema) create(table string, properties []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "CREATE TABLE IF NOT EXISTS %s (", table)
	for _, c := range s.columns() {
		fmt.Fprintf(&b, "%s %s, ", c.name, c.typ)
	}
	fmt.Fprintf(&b, "PRIMARY KEY (%s))", names(s.key))
	for i, p := range properties {
		fmt.Fprintf(&b, " %s %s", [...]string{"WITH", "AND"}[min(i, 1)], p)
	}
	return b.String()
}

// insert returns the statement that writes a row. Its parameters are the bound
// columns of the key, then the values.
func (s Schema) insert(table string) string {
	markers := make([]string, 0, len(s.key)+len(s.values))
	for _, c := range s.columns() {
		if c.constant != "" {
			markers = append(markers, c.constant)
		} else {
			markers = append(markers, "?")
		}
	}
	return fmt.Sprintf("INSERT INTO %s (%s) VALUES (%s)", table, names(s.columns()), strings.Join(markers, ", "))
}

// read returns the statement that reads all columns of the row with a key, as
// both source workloads do. A constant column isn't asked for: a partition that
// has more rows than it should shows them.
func (s Schema) read(table string) string {
	var where []string
	for _, c := range s.bound() {
		where = append(where, c.name+" = ?")
	}
	return fmt.Sprintf("SELECT %s FROM %s WHERE %s", names(s.columns()), table, strings.Join(where, " AND "))
}

// count returns the statement that counts rows between two results, inclusive,
// of the hash function.
func (s Schema) count(table, hash string) string {
	h := fmt.Sprintf("%s(%s)", hash, s.key[0].name)
	return fmt.Sprintf("SELECT count(*) FROM %s WHERE %s >= ? AND %s <= ?", table, h, h)
}

// columns are all columns, in the order in which they are created and read.
func (s Schema) columns() []column {
	return append(append([]column(nil), s.key...), s.values...)
}

// names lists the columns' names.
func names(columns []column) string {
	list := make([]string, len(columns))
	for i, c := range columns {
		list[i] = c.name
	}
	return strings.Join(list, ", ")
}
