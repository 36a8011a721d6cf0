package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kvbench/internal/cluster"
)

func all(t *testing.T) []cluster.System {
	t.Helper()
	systems, err := parse(nil)
	if err != nil {
		t.Fatal(err)
	}
	return systems
}

func TestParse(t *testing.T) {
	if got, err := parse([]string{"consul", "etcd"}); err != nil || !slices.Equal(got, []cluster.System{cluster.Consul, cluster.Etcd}) {
		t.Errorf("systems %v, %v", got, err)
	}
	if got := all(t); len(got) != 4 {
		t.Errorf("all systems are %v", got)
	}
	for _, arg := range []string{"scylla", "", "-h"} {
		if _, err := parse([]string{arg}); err == nil || !strings.Contains(err.Error(), "want etcd, zookeeper, consul or cassandra") {
			t.Errorf("%q: error %v", arg, err)
		}
	}
}

// TestNothingThere: one error says all that is to be installed.
func TestNothingThere(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv("JAVA_HOME", "")
	var out strings.Builder
	err := run(nil, []string{"ETCD_VERSION=3.7.3"}, &out, &out)
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{"docker.io", "busybox-static", "openjdk-17-jdk-headless"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want it to name %s", err, want)
		}
	}
	if err := run([]string{"etcd"}, nil, &out, &out); err == nil || strings.Contains(err.Error(), "busybox") {
		t.Errorf("error %v, want one of what etcd's image takes", err)
	}
	if out.Len() != 0 {
		t.Errorf("printed %q", out.String())
	}
}

func TestWrongSetting(t *testing.T) {
	var out strings.Builder
	err := run([]string{"etcd"}, []string{"ETCD_VERSION=v3"}, &out, &out)
	if err == nil || !strings.Contains(err.Error(), `ETCD_VERSION="v3": want a version such as 3.7.3`) {
		t.Errorf("error %v", err)
	}
}

// TestUnfitTools: a program of the right name is not enough.
func TestUnfitTools(t *testing.T) {
	bin := t.TempDir()
	script := func(name, text string) {
		if err := writeFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("install bash")
	}
	t.Setenv("PATH", bin)
	t.Setenv("JAVA_HOME", "")
	assertError := func(err error, want ...string) {
		t.Helper()
		for _, w := range want {
			if err == nil || !strings.Contains(err.Error(), w) {
				t.Errorf("error %v, want %q in it", err, w)
			}
		}
	}
	script("jlink", "echo 21.0.1")
	_, err = findJlink(t.Context())
	assertError(err, "is of Java 21.0.1", "JDK 17")
	script("docker", "echo plan9/mips")
	assertError(checkEngine(t.Context()), "the Docker engine runs plan9/mips")
	script("docker", "echo no socket >&2; exit 1")
	assertError(checkEngine(t.Context()), "no Docker engine answers", "exit status 1", "no socket")
	script("busybox", "")
	_, err = findBusybox()
	assertError(err, "busybox-static")
	if err := os.Remove(filepath.Join(bin, "busybox")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(bash, filepath.Join(bin, "busybox")); err != nil {
		t.Fatal(err)
	}
	if _, err = findBusybox(); err == nil {
		t.Skip("this machine's bash is statically linked, so nothing is there to be refused")
	}
	assertError(err, "needs libraries", "busybox-static")
}

func TestParseLdd(t *testing.T) {
	const out = `/jre/bin/java:
	linux-vdso.so.1 (0x00007fe883c13000)
	libjli.so => /jre/bin/../lib/libjli.so (0x00007fe883be2000)
	libX11.so.6 => not found
	libc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007fe88221e000)
	/lib64/ld-linux-x86-64.so.2 (0x00007fe883c15000)
/jre/lib/libzip.so:
	libc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007fe7761fe000)`
	want := []string{"/jre/bin/../lib/libjli.so", "/lib/x86_64-linux-gnu/libc.so.6", "/lib64/ld-linux-x86-64.so.2"}
	if diff := cmp.Diff(want, parseLdd(out)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// TestContext: what a Dockerfile copies is there, and scripts can be run.
func TestContext(t *testing.T) {
	server, java, busybox := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "busybox")
	for _, name := range []string{filepath.Join(server, "etcd"), filepath.Join(server, "consul"), filepath.Join(java, "java"), busybox} {
		if err := writeFile(name, nil, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	b := &builder{busybox: busybox, java: java}
	for _, s := range all(t) {
		dir := t.TempDir()
		if err := b.fill(t.Context(), dir, s, server); err != nil {
			t.Fatal(err)
		}
		for _, name := range copied(t, dir) {
			if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
				t.Errorf("%s: its Dockerfile copies what isn't there: %v", s, err)
			}
		}
		scripts(t, dir)
	}
}

// copied returns the sources of a Dockerfile's COPY lines.
func copied(t *testing.T, dir string) (names []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?m)^COPY (.*) \S+$`).FindAllStringSubmatch(string(text), -1) {
		names = append(names, strings.Fields(m[1])...)
	}
	if len(names) == 0 {
		t.Errorf("nothing is copied:\n%s", text)
	}
	return names
}

// scripts checks that the shell takes the scripts of an image.
func scripts(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(dir, "files"), func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.Contains(name, "/bin/") && filepath.Ext(name) != ".sh" {
			return nil // etcd has no files
		}
		info, err := d.Info()
		if err != nil || info.Mode().Perm() != 0o755 {
			t.Errorf("%s can't be run: mode %v, %v", name, info.Mode(), err)
		}
		if out, err := exec.CommandContext(t.Context(), "sh", "-n", name).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
