// Servers starts servers that stay, for benchmarks that are run again and again.
//
//	eval "$(go tool servers up etcd zookeeper -nodes 3)"
//	go tool servers ls
//	go tool servers down -all
//
// A cluster has a name, its system's unless -name says another. An up of one that
// is up already prints the same lines again if the cluster is what was asked for,
// and is an error if it isn't: so it can stand in a Makefile. Of several systems all
// are started or none.
//
// The servers are those of the user who starts them, and so are the names: what is
// known of them is in $XDG_STATE_HOME/kvbench/servers, ~/.local/state by default.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"kvbench/internal/cluster"
)

func main() {
	if cluster.IsKeeper() {
		os.Exit(cluster.Keep())
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Environ(), os.Stdout, os.Stderr))
}

const usage = `usage: go tool servers command [flags] [arguments]

  up system…           start servers that stay, and print how to reach them:
                       eval "$(go tool servers up etcd -nodes 3)"
  down name… or -all   stop them
  ls                   list them
  logs [name…]         print what they have logged
  clean                remove what is left of servers that are gone

Systems are cassandra, yugabyte, scylla, etcd, zookeeper and consul. "go tool servers command -h"
lists a command's flags. Exit status: 1 for what didn't work, 2 for what can't be understood.
`

// A tool is one invocation.
type tool struct {
	ctx            context.Context
	environ        []string
	stdout, stderr io.Writer // results; everything else
}

// errUsage is wrapped by errors about arguments that no command can make sense of.
var errUsage = errors.New(`see "go tool servers -h"`)

// run returns the exit status.
func run(ctx context.Context, args, environ []string, stdout, stderr io.Writer) int {
	t := &tool{ctx, environ, stdout, stderr}
	err := t.command(args)
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return 0
	case errors.Is(err, errUsage):
		t.say("servers: %v", err)
		return 2
	}
	t.say("servers: %v", err)
	return 1
}

func (t *tool) command(args []string) error {
	if len(args) == 0 {
		fmt.Fprint(t.stderr, usage)
		return misused("no command")
	}
	switch name, rest := args[0], args[1:]; name {
	case "up":
		return t.up(rest)
	case "down":
		return t.down(rest)
	case "ls":
		return t.ls(rest)
	case "logs":
		return t.logs(rest)
	case "clean":
		return t.clean(rest)
	case "-h", "-help", "--help", "help":
		_, err := fmt.Fprint(t.stdout, usage)
		return err
	default:
		return misused("%q: no such command; want up, down, ls, logs or clean", name)
	}
}

// misused returns an error that wraps errUsage.
func misused(format string, args ...any) error {
	return fmt.Errorf("%w; %w", fmt.Errorf(format, args...), errUsage)
}

func (t *tool) say(format string, args ...any) { fmt.Fprintf(t.stderr, format+"\n", args...) }
