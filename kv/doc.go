// Package kv measures single-row operations of databases that speak CQL:
// Apache Cassandra, YugabyteDB (YCQL) and ScyllaDB.
//
//   - Write inserts new rows, and Read reads rows that are there, with many
//     clients in closed loop: YugabyteDB's key-value benchmark
//     (yb-sample-apps, CassandraKeyValue).
//   - Mixed reads and writes at fixed arrival rates with few clients in open
//     loop: Netflix's NDBench, as it was run against YugabyteDB for seven days.
//
// Write and Read use the table of yb-sample-apps (k varchar primary key, v
// blob), its keys ("key:<n>") and its values: a marker, the key's number, random
// bytes, an Adler-32. Mixed uses NDBench's (key text, column1 int, value0 …
// value7 text), its keys ("T<n>") and a pool of random values, each with a CRC-32.
// Every value that is read is checked, every row that was written is counted,
// and a sample of them is read back.
//
// What the sources do otherwise, and why it is not done here:
//
//   - yb-sample-apps never reads or updates the top key, may write more keys
//     than it was told to, and updates only after all inserts; here the number of
//     keys is exact and all can be reached.
//   - It waits a second after each failure and forgets the operation; here
//     failures are counted by class, and too many fail the run.
//   - It starts threads one by one within the measured time, and has no warm-up.
//   - NDBench takes its percentiles from a decaying sample of 1,028 operations and
//     its time from the actual start; here all operations count, from their
//     intended start.
//   - NDBench makes two rows a partition by default and picks a row by a
//     remainder that may be negative; here a partition has one row.
//   - NDBench replaces a value of its pool every 10 ms; here the pool is fixed, so
//     that a seed repeats a run.
//
// Settings begin with KV_, CQL_ and BENCH_; see the README. For example:
//
//	CASSANDRA_ENDPOINTS=10.0.0.1:9042,10.0.0.2:9042 go test ./kv -run '^$' -bench Read -benchtime=10m
package kv
