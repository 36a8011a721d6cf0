package suite

const overheadVariable = "KVBENCH_OVERHEAD"

var overhead = New("overhead", "etcd", "cassandra")
