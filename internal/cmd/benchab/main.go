// Benchab compares two servers, or two commits of this suite, by repetitions that
// take turns.
//
//	go tool benchab -system etcd -old 3.5.21 -new 3.7.3 -bench 'Put|Get' -count 10
//
// All of one side and then all of the other would compare two hours of the day.
// Here each pair of repetitions, in an order that is drawn by lot, has the same
// minutes, and each repetition has servers of its own where the suite starts them.
// What is done is kept, so that an interrupted comparison can be taken up again.
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

	"kvbench/internal/gate"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

const usage = `usage: benchab -system name -old x -new y [flags]

Exit status: that of benchgate, or 2 if a repetition failed or the comparison was interrupted.

`

// run returns the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	c := &comparison{stdout: stdout, stderr: stderr}
	err := c.parse(args)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	var missing []repetition
	if err == nil {
		missing, err = c.perform(ctx)
	}
	if err != nil {
		fmt.Fprintln(stderr, "benchab:", err)
		return 2
	}
	if len(missing) > 0 {
		c.gateFlags = nil // half a night is no part of a history
	}
	status := c.judge(ctx)
	if len(missing) > 0 {
		c.say("%d repetitions are missing, since they failed: %s; the same command tries them again", len(missing), names(missing))
		return 2
	}
	return status
}

// parse takes the plan, the directory for its results and the gate's flags from the
// arguments.
func (c *comparison) parse(args []string) error {
	p, gateFlags := &c.plan, ""
	f := flag.NewFlagSet("benchab", flag.ContinueOnError)
	f.SetOutput(c.stderr)
	f.Usage = func() { fmt.Fprint(c.stderr, usage); f.PrintDefaults() }
	f.StringVar(&p.System, "system", "", "`name` of the system: "+strings.Join(systems(), ", "))
	f.StringVar(&p.By, "by", "version", "what old and new are: version, image, endpoints, or commit (of this suite)")
	f.StringVar(&p.Old, "old", "", "the `side` that is there")
	f.StringVar(&p.New, "new", "", "the `side` that is to be judged")
	f.StringVar(&p.Bench, "bench", ".", "`regexp` of -bench, without the system")
	f.StringVar(&p.Benchtime, "benchtime", "10s", "duration, or `Nx`, of a measurement")
	f.IntVar(&p.Count, "count", 10, "`repetitions` of each side")
	f.Uint64Var(&p.Seed, "seed", 1, "decides which side of each pair is first")
	f.StringVar(&c.dir, "dir", "", "`directory` for the results (default results/ab-system-old-new)")
	f.StringVar(&gateFlags, "gate", "", "`flags` of benchgate, such as '-min 10 -unit ops/s,p50-ns'")
	if err := f.Parse(args); err != nil {
		return err
	}
	if f.NArg() > 0 {
		return fmt.Errorf("%q: no such argument (see -h)", f.Arg(0))
	}
	if err := p.validate(); err != nil {
		return err
	}
	c.gateFlags = strings.Fields(gateFlags)
	if err := gate.Check(c.gateArgs(c.gateFlags)); err != nil {
		return fmt.Errorf("-gate %q: %v", gateFlags, err)
	}
	if c.dir == "" {
		c.dir = "results/ab-" + fileName(p.System+"-"+p.Old+"-"+p.New)
	}
	return nil
}
