package cluster

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What a server of ours may touch while it runs: ports on loopback, and files
// below its own directory.

// assertFootprint checks every server of c, as far as /proc shows it.
func assertFootprint(t *testing.T, c *Cluster, dataDir string) {
	t.Helper()
	if !hasProc() {
		return
	}
	for i, s := range c.Servers {
		listens := listeners(t, s.PID)
		if len(listens) == 0 {
			t.Errorf("node %d: no listening socket found", i+1)
		}
		for _, addr := range listens {
			if !isLoopback(addr) {
				t.Errorf("node %d listens on %s, which isn't loopback", i+1, addr)
			}
		}
		for _, f := range openFiles(t, s.PID) {
			if isShared(f) && !strings.HasPrefix(f, dataDir) {
				t.Errorf("node %d uses %s, outside of its directory", i+1, f)
			}
		}
		if counters, _ := filepath.Glob(filepath.Join(os.TempDir(), "hsperfdata_*", fmt.Sprint(s.PID))); len(counters) > 0 {
			t.Errorf("node %d: performance counters in %q", i+1, counters)
		}
	}
}

// isShared reports whether path is where programs leave things for others, or
// for nobody. The cache of installed servers is in the home directory, too.
func isShared(path string) bool {
	shared := []string{os.TempDir(), "/tmp", "/var/tmp", "/dev/shm"}
	home, err := os.UserHomeDir()
	if err == nil {
		shared = append(shared, home)
	}
	cache, err := os.UserCacheDir()
	if err == nil && strings.HasPrefix(path, filepath.Join(cache, "kvbench", "servers")) {
		return false
	}
	return slices.ContainsFunc(shared, func(dir string) bool { return strings.HasPrefix(path, dir+"/") })
}

// isLoopback reports whether an address of /proc/net/tcp or tcp6, in the
// processor's byte order, is of 127.0.0.0/8 or ::1.
func isLoopback(addr string) bool {
	return strings.HasSuffix(addr, "7F") && (len(addr) == 8 || strings.HasPrefix(addr, "0000000000000000FFFF0000")) ||
		addr == "00000000000000000000000001000000"
}

// listeners returns the local addresses of the process's listening sockets.
func listeners(t *testing.T, pid int) []string {
	t.Helper()
	own := links(t, fmt.Sprintf("/proc/%d/fd", pid))
	var addrs []string
	for _, table := range []string{"tcp", "tcp6"} {
		for _, line := range procLines(t, fmt.Sprintf("/proc/%d/net/%s", pid, table)) {
			const local, state, inode = 1, 3, 9
			f := strings.Fields(line)
			if len(f) > inode && f[state] == "0A" && slices.Contains(own, "socket:["+f[inode]+"]") {
				addr, _, _ := strings.Cut(f[local], ":")
				addrs = append(addrs, addr)
			}
		}
	}
	return addrs
}

// openFiles returns the files that the process has open or mapped.
func openFiles(t *testing.T, pid int) []string {
	t.Helper()
	files := links(t, fmt.Sprintf("/proc/%d/fd", pid))
	for _, line := range procLines(t, fmt.Sprintf("/proc/%d/maps", pid)) {
		if i := strings.IndexByte(line, '/'); i >= 0 {
			files = append(files, line[i:])
		}
	}
	return files
}

// links returns where the symbolic links in dir lead.
func links(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var targets []string
	for _, e := range entries {
		if target, err := os.Readlink(filepath.Join(dir, e.Name())); err == nil { // else closed meanwhile
			targets = append(targets, target)
		}
	}
	return targets
}

func procLines(t *testing.T, name string) []string {
	t.Helper()
	f, err := os.Open(name)
	if os.IsNotExist(err) { // no IPv6, no tcp6
		return nil
	} else if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var lines []string
	s := bufio.NewScanner(f)
	for s.Scan() {
		lines = append(lines, s.Text())
	}
	if s.Err() != nil {
		t.Fatal(s.Err())
	}
	return lines
}
