package main

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// Tests of kept servers in containers, of the image that ETCD_IMAGE names or of the
// one that "make images" builds.

// boxedUser returns a user whose servers are in containers.
func boxedUser(t *testing.T) *user {
	t.Helper()
	real(t)
	image := os.Getenv("ETCD_IMAGE")
	if image == "" {
		image = localImage(t, "kvbench/etcd")
	}
	u := newUser(t, "BENCH_SERVERS=container", "ETCD_IMAGE="+image)
	u.env = append(u.env, "XDG_CACHE_HOME="+t.TempDir()) // of what says whose the containers are
	return u
}

// localImage returns an image of a name that the engine has.
func localImage(t *testing.T, name string) string {
	t.Helper()
	out := docker(t, "images", "--format", "{{.Repository}}:{{.Tag}}", name)
	if out == "" {
		t.Skip("no image " + name + ": run make images, or set ETCD_IMAGE")
	}
	return strings.Fields(out)[0]
}

// docker runs the engine's command line client, if it is there.
func docker(t *testing.T, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath("docker"); err != nil {
		t.Skip("needs the docker command (Debian: apt-get install docker-cli)")
	}
	out, err := exec.Command("docker", args...).Output()
	if err != nil {
		t.Skipf("docker %q: %v: start a Docker engine", args, err)
	}
	return strings.TrimSpace(string(out))
}

func TestContainersStay(t *testing.T) {
	u := boxedUser(t)
	all := endpoints(t, u.must("up", "etcd", "-nodes", "3", "-cpus", "1"))
	if len(all) != 3 || !answers(t, all...) {
		t.Fatalf("three nodes: %q", all)
	}
	if again := endpoints(t, u.must("up", "etcd", "-nodes", "3", "-cpus", "1")); again[0] != all[0] {
		t.Errorf("up again: %q, want %q", again, all)
	}
	u.fails(1, "with cpus 1 instead of 0", "up", "etcd", "-nodes", "3")
	docker(t, "kill", u.kept("etcd").Servers[1].Container)
	u.awaitState("exited: exit status 137")
	if out := u.must("ls"); !regexp.MustCompile(`(?m)^etcd +etcd +\S* +container +3 .* etcd node 2 \(container [0-9a-f]{12}\) exited`).MatchString(out) {
		t.Errorf("ls doesn't say who has died:\n%s", out)
	}
	if out := u.must("logs", "-n", "1"); strings.Count(out, "(container ") != 3 {
		t.Errorf("logs:\n%s", out)
	}
	left := u.kept("etcd").Servers
	u.must("down", "etcd")
	u.empty("down")
	for _, s := range left {
		gone(t, s.Container)
	}
}

// A keeper that is killed leaves its containers, which what removes the rest of the
// servers removes, and no others.
func TestContainersOfKilledKeeper(t *testing.T) {
	u := boxedUser(t)
	for _, remove := range []string{"clean", "down etcd"} {
		u.must("up", "etcd")
		old := u.kept("etcd")
		other := endpoints(t, u.must("up", "etcd", "-name", "other"))
		kill(t, old.Keeper, syscall.SIGKILL)
		u.awaitState("gone")
		if docker(t, "ps", "-q", "--no-trunc", "--filter", "id="+old.Servers[0].Container) == "" {
			t.Fatal("the container went with the keeper: the test tests nothing")
		}
		u.must(strings.Fields(remove)...)
		gone(t, old.Servers[0].Container)
		if !answers(t, other...) {
			t.Errorf("%s has removed other servers", remove)
		}
		u.must("down", "other")
		u.empty(remove)
	}
}

// gone fails the test if there is a container.
func gone(t *testing.T, container string) {
	t.Helper()
	if out := docker(t, "ps", "-aq", "--filter", "id="+container); out != "" {
		t.Errorf("container %s is left", out)
	}
}
