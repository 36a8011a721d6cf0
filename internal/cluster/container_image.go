package cluster

import (
	"regexp"
	"strings"
)

// An image is where the container image of a system's servers comes from.
type image struct {
	name   string // of the official image, with its registry unless that is Docker Hub
	prefix string // of its tags, before the version
	tag    string // the version that the suite runs if none is asked for
}

// official is the one table of images and versions. Systems that can also be
// had as processes have the same version there, so that both can be compared.
func official(s System) image {
	switch s {
	case Cassandra:
		return image{name: "cassandra", tag: cassandraRecipe().version}
	case Yugabyte:
		return image{name: "yugabytedb/yugabyte", tag: "2025.2.6.0-b111"}
	case Scylla:
		return image{name: "scylladb/scylla", tag: "2026.1.5"}
	case Etcd:
		return image{name: "gcr.io/etcd-development/etcd", prefix: "v", tag: etcdRecipe().version}
	case ZooKeeper:
		return image{name: "zookeeper", tag: zookeeperRecipe().version}
	case Consul:
		return image{name: "hashicorp/consul", tag: consulRecipe().version}
	}
	return image{}
}

// image returns the image to run: the named one, else the official one of the
// version that is asked for.
func (s Spec) image() string {
	if s.Image != "" {
		return s.Image
	}
	from := official(s.System)
	if s.Version != "" {
		from.tag = s.Version
	}
	return from.name + ":" + from.prefix + from.tag
}

// tagForm is a tag that names one version: "5.0" and "latest" name another one
// tomorrow.
var tagForm = regexp.MustCompile(`^v?([0-9]+(\.[0-9]+){2,3}(-[0-9A-Za-z.-]+)?)$`)

// imageVersion returns the server version that an image's tag tells, or "".
func imageVersion(name string) string {
	name, _, _ = strings.Cut(name, "@") // a digest
	i := strings.LastIndex(name, ":")
	if i < strings.LastIndex(name, "/") { // no tag: the colon is of a port, or there is none
		return ""
	}
	m := tagForm.FindStringSubmatch(name[i+1:])
	if m == nil {
		return ""
	}
	return m[1]
}
