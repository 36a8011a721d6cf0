// Images builds container images of the servers that the suite gets and builds
// for its process source, so that its container source can be used where no image
// can be pulled, and on the same servers.
//
//	images [etcd] [zookeeper] [consul] [cassandra]
//
// It builds kvbench/<system>:<version> for each system, all of them if none is
// named, in the version of <SYSTEM>_VERSION. To standard output goes a line for
// each, such as ETCD_IMAGE=kvbench/etcd:3.7.3, by which the suite is told to use
// it. What the images hold is in testdata/images.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"kvbench/internal/cluster"
	"kvbench/internal/setting"
)

func main() {
	if err := run(os.Args[1:], os.Environ(), os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "images:", err)
		os.Exit(1)
	}
}

// run builds the images of the systems that args name. Results go to out, and to
// progress what a person who waits would like to know.
func run(args, environ []string, out, progress io.Writer) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	systems, err := parse(args)
	if err != nil {
		return err
	}
	settings, err := setting.Load(environ)
	if err != nil {
		return err
	}
	b := &builder{progress: progress}
	if err := b.findTools(ctx, systems); err != nil {
		return err
	}
	if b.tmp, err = os.MkdirTemp("", "kvbench-images-"); err != nil {
		return err
	}
	defer os.RemoveAll(b.tmp)
	for _, s := range systems {
		name, err := b.build(ctx, s, settings.System(string(s)).Version)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(out, "%s_IMAGE=%s\n", setting.Prefix(string(s)), name); err != nil {
			return err
		}
	}
	return nil
}

// parse returns the systems that args name, all that there are by default.
func parse(args []string) ([]cluster.System, error) {
	if len(args) == 0 {
		return []cluster.System{cluster.Etcd, cluster.ZooKeeper, cluster.Consul, cluster.Cassandra}, nil
	}
	var systems []cluster.System
	for _, arg := range args {
		s := cluster.System(arg)
		if _, ok := partsOf(s); !ok {
			return nil, fmt.Errorf("%q: want etcd, zookeeper, consul or cassandra: the others can't be built", arg)
		}
		systems = append(systems, s)
	}
	return systems, nil
}
