package cluster

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Tests that no end of a process leaves a server, a keeper or a directory: a
// victim starts a cluster, tells its parent about it, and comes to its end.

const victimVariable = "KVBENCH_TEST_VICTIM" // holds the way to end

// A testament is what a victim tells: a line of JSON on standard output.
type testament struct {
	PIDs   []int    // servers and keeper; empty if the victim doesn't know them yet
	Labels []string // of containers: claims in the cache directory
}

func TestNothingIsLeft(t *testing.T) {
	for _, tt := range []struct {
		how    string
		signal syscall.Signal // sent by the test; 0: the victim ends by itself
		status string         // of the victim
	}{
		{how: "return without Close", status: "exit status 0"},
		{how: "os.Exit", status: "exit status 3"},
		{how: "panic", status: "exit status 2"},
		{how: "stop a server, then panic", status: "exit status 2"},
		{how: "killed", signal: syscall.SIGKILL, status: "signal: killed"},
		{how: "ctrl-C", signal: syscall.SIGINT, status: "signal: interrupt"},
		{how: "terminated", signal: syscall.SIGTERM, status: "signal: terminated"},
		{how: "timed out", signal: syscall.SIGQUIT, status: "exit status 2"},
		{how: "killed during start", signal: syscall.SIGKILL, status: "signal: killed"},
	} {
		t.Run(tt.how, func(t *testing.T) {
			t.Parallel()
			skipUnbuilt(t, Spec{System: Etcd, Ready: at(putEtcd)})
			dataDir := t.TempDir()
			will, state := runVictim(t, tt.how, tt.signal, dataDir, "")
			if state != tt.status {
				t.Errorf("the victim's end: %s, want %s", state, tt.status)
			}
			if tt.how != "killed during start" && len(will.PIDs) != 4 {
				t.Fatalf("processes %v, want a keeper and three servers", will.PIDs)
			}
			assertGone(t, will.PIDs, dataDir)
		})
	}
}

// runVictim runs a victim to its end and returns how it ended. It also proves
// that the standard output which a victim inherits isn't held open by those it
// leaves: reading comes to an end.
func runVictim(t *testing.T, how string, signal syscall.Signal, dataDir, image string) (testament, string) {
	t.Helper()
	exe, err := self()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe)
	cmd.Env = append(os.Environ(), victimVariable+"="+how, "BENCH_DATA_DIR="+dataDir, Etcd.variable("IMAGE")+"="+image)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // as a shell does
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	var will testament
	if !lines.Scan() || json.Unmarshal(lines.Bytes(), &will) != nil {
		t.Errorf("the victim says %q, want a line of JSON", lines.Text())
	}
	if signal != 0 {
		// To the group, as a terminal does.
		if err := syscall.Kill(-cmd.Process.Pid, signal); err != nil {
			t.Error(err)
		}
	}
	for lines.Scan() {
	}
	_ = cmd.Wait() // the state tells
	state := cmd.ProcessState.String()
	state, _, _ = strings.Cut(state, " (core dumped)")
	return will, state
}

// victim is the main function of a victim.
func victim(how string) int {
	spec := Spec{System: Etcd, Force: "process", Nodes: 3, DataDir: os.Getenv("BENCH_DATA_DIR"), Ready: at(putEtcd)}
	if spec.Image = os.Getenv(Etcd.variable("IMAGE")); spec.Image != "" {
		spec.Force = "container"
	}
	if how == "killed during start" {
		spec.Ready = func(context.Context, *Cluster) error {
			tell(testament{})
			time.Sleep(patience)
			return nil
		}
	}
	src, err := Find(context.Background(), spec)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	c, err := src.Start(context.Background())
	if err != nil {
		fmt.Println(err)
		return 1
	}
	tell(testament{PIDs: pids(c)})
	switch how {
	case "return without Close":
		return 0
	case "os.Exit":
		os.Exit(3)
	case "stop a server, then panic":
		_ = syscall.Kill(c.Servers[0].PID, syscall.SIGSTOP)
		panic(how)
	case "panic":
		panic(how)
	}
	time.Sleep(patience) // until the signal
	return 1
}

func tell(will testament) {
	if dir, err := claimsDir(); err == nil {
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			will.Labels = append(will.Labels, e.Name())
		}
	}
	_ = json.NewEncoder(os.Stdout).Encode(will) // the test misses what isn't told
}
