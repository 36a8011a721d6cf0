package setting

// A lender is a system's own tool: what its variables and files say counts where
// the suite's settings are unset.
type lender struct {
	system string
	files  bool // there are files to read, see cqlsh.go
	plain  bool // TLS is off, whatever certificates are named, unless it is asked for
	loans  []loan
}

// A loan is a setting of the suite and what it may be taken from. The first that
// is there counts.
type loan struct {
	ours   string                                           // without the system's prefix
	theirs string                                           // a variable, or a key of a file
	as     func(value string, all lendings) (string, error) // nil: the value itself; "" is not taken
}

// lenders are all of them. The endpoints and TLS of each come first: whether the
// others count depends on them.
var lenders = []lender{
	// etcdctl: README.md of etcdctl in etcd's repository, "Options" and
	// "Environment variables": each flag is a variable too, and
	// --insecure-transport, which is true by default, gives way to certificates.
	{system: "etcd", loans: []loan{
		{ours: "ENDPOINTS", theirs: "ETCDCTL_ENDPOINTS"},
		{ours: "TLS", theirs: "ETCDCTL_INSECURE_TRANSPORT", as: unless},
		{ours: "TLS_INSECURE", theirs: "ETCDCTL_INSECURE_SKIP_TLS_VERIFY", as: when},
		{ours: "TLS_CA", theirs: "ETCDCTL_CACERT"},
		{ours: "TLS_CERT", theirs: "ETCDCTL_CERT"},
		{ours: "TLS_KEY", theirs: "ETCDCTL_KEY"},
		{ours: "USER", theirs: "ETCDCTL_USER", as: userOf},
		{ours: "PASSWORD", theirs: "ETCDCTL_PASSWORD"},
		{ours: "PASSWORD", theirs: "ETCDCTL_USER", as: passwordOf},
	}},
	// consul: developer.hashicorp.com/consul/commands, "Environment variables". Of
	// the same name as ours are CONSUL_TLS_SERVER_NAME and CONSUL_PARTITION.
	{system: "consul", plain: true, loans: []loan{
		{ours: "ENDPOINTS", theirs: "CONSUL_HTTP_ADDR", as: consulAddress},
		{ours: "TLS", theirs: "CONSUL_HTTP_SSL", as: when},
		{ours: "TLS_INSECURE", theirs: "CONSUL_HTTP_SSL_VERIFY", as: unless},
		{ours: "TLS_CA", theirs: "CONSUL_CACERT"},
		{ours: "TLS_CA", theirs: "CONSUL_CAPATH"},
		{ours: "TLS_CERT", theirs: "CONSUL_CLIENT_CERT"},
		{ours: "TLS_KEY", theirs: "CONSUL_CLIENT_KEY"},
		{ours: "TOKEN_FILE", theirs: "CONSUL_HTTP_TOKEN_FILE"},
		{ours: "TOKEN", theirs: "CONSUL_HTTP_TOKEN", as: unlessTokenFile},
		{ours: "USER", theirs: "CONSUL_HTTP_AUTH", as: userOf},
		{ours: "PASSWORD", theirs: "CONSUL_HTTP_AUTH", as: passwordOf},
	}},
	// cqlsh: conf/cqlshrc.sample and conf/credentials.sample in Cassandra's
	// repository, and "cqlsh: the CQL shell" in its documentation. The host in a
	// cqlshrc is not taken: the file just lies there, and nobody who types make
	// bench has it in mind, while a variable was exported by somebody.
	{system: "cassandra", files: true, plain: true, loans: []loan{
		{ours: "ENDPOINTS", theirs: "CQLSH_HOST", as: cqlshAddress},
		{ours: "TLS", theirs: "cqlshrc [connection] ssl", as: when},
		{ours: "TLS_INSECURE", theirs: "cqlshrc [ssl] validate", as: unless},
		{ours: "TLS_CA", theirs: "cqlshrc [certfiles]", as: hostCertificates},
		{ours: "TLS_CA", theirs: "cqlshrc [ssl] certfile", as: homePath},
		{ours: "TLS_CERT", theirs: "cqlshrc [ssl] usercert", as: homePath},
		{ours: "TLS_KEY", theirs: "cqlshrc [ssl] userkey", as: homePath},
		{ours: "USER", theirs: "credentials [PlainTextAuthProvider] username"},
		{ours: "USER", theirs: "cqlshrc [authentication] username"},
		{ours: "PASSWORD", theirs: "credentials [PlainTextAuthProvider] password"},
		{ours: "PASSWORD", theirs: "cqlshrc [authentication] password"},
	}},
}
