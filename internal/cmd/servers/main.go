// Servers starts servers that stay, for benchmarks that are run again and again.
//
//	eval "$(go tool servers up etcd zookeeper -nodes 3)"
//	go tool servers ls
//	go tool servers down -all
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"kvbench/internal/cluster"
)

func main() {
	if cluster.IsKeeper() {
		os.Exit(cluster.Keep())
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

const usage = `usage: go tool servers command

  up system…        start servers that stay, and print how to reach them:
                    eval "$(go tool servers up etcd -nodes 3)"
  down name…|-all   stop them
  ls                list them
  logs name         print the ends of their logs (-n lines, -f to follow)
  clean             remove what is left of servers that are gone

Systems are cassandra, yugabyte, scylla, etcd, zookeeper and consul. "servers command -h"
lists a command's flags.
`

// A tool is one invocation.
type tool struct {
	ctx            context.Context
	stdout, stderr io.Writer // results; everything else
}

// errUsage is for arguments that no command can make sense of.
var errUsage = errors.New("see go tool servers -h")

// run returns the exit status: 1 for what didn't work, 2 for wrong arguments.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	t := &tool{ctx, stdout, stderr}
	err := t.command(args)
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return 0
	case errors.Is(err, errUsage):
		fmt.Fprintln(stderr, "servers:", err)
		return 2
	}
	fmt.Fprintln(stderr, "servers:", err)
	return 1
}

func (t *tool) command(args []string) error {
	if len(args) == 0 {
		fmt.Fprint(t.stderr, usage)
		return fmt.Errorf("no command: %w", errUsage)
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
		fmt.Fprint(t.stdout, usage)
		return nil
	default:
		return fmt.Errorf("%q: no such command, want up, down, ls, logs or clean: %w", name, errUsage)
	}
}

// parse parses a command's flags, which may come before, between and behind other
// arguments, and returns the others.
func (t *tool) parse(f *flag.FlagSet, args []string) (rest []string, err error) {
	var said strings.Builder
	f.SetOutput(&said)
	for {
		if err := f.Parse(args); errors.Is(err, flag.ErrHelp) {
			fmt.Fprint(t.stdout, said.String())
			return nil, err
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w: %w", f.Name(), err, errUsage)
		}
		if f.NArg() == 0 {
			return rest, nil
		}
		rest, args = append(rest, f.Arg(0)), f.Args()[1:]
	}
}

func (t *tool) say(format string, args ...any) { fmt.Fprintf(t.stderr, format+"\n", args...) }
