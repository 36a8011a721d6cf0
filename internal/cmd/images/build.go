package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"time"

	"kvbench/internal/cluster"
	"kvbench/testdata/images"
	"kvbench/testdata/servers"
)

// parts are what an image is made of, beside the server and the files of its own.
type parts struct {
	shell       bool     // busybox: the entry point is a script
	java        bool     // a Java virtual machine
	definitions []string // of testdata/servers, that processes are started with as well
}

// partsOf returns the parts of a system's image, if there is one.
func partsOf(s cluster.System) (parts, bool) {
	switch s {
	case cluster.Etcd:
		return parts{}, true
	case cluster.Consul:
		return parts{shell: true}, true
	case cluster.ZooKeeper:
		return parts{shell: true, java: true, definitions: []string{"zookeeper/logback.xml"}}, true
	case cluster.Cassandra:
		return parts{shell: true, java: true, definitions: []string{"cassandra/jvm.options", "cassandra/logback.xml"}}, true
	}
	return parts{}, false
}

// A builder builds images.
type builder struct {
	progress io.Writer
	busybox  string // path
	jlink    string // path
	tmp      string // directory that is removed at the end
	java     string // directory with a virtual machine, "" until one is needed
}

func (b *builder) say(line string) { _, _ = fmt.Fprintln(b.progress, line) } // a lost line is of no consequence

// build builds a system's image and returns its name.
func (b *builder) build(ctx context.Context, s cluster.System, version string) (name string, err error) {
	server, version, err := cluster.Install(ctx, s, version, b.say)
	if err != nil {
		return "", err
	}
	begin := time.Now()
	dir := filepath.Join(b.tmp, string(s))
	if err := b.fill(ctx, dir, s, server); err != nil {
		return "", fmt.Errorf("%s %s: %w", s, version, err)
	}
	name = fmt.Sprintf("kvbench/%s:%s", s, version)
	if err := output(ctx, nil, "docker", "build", "--force-rm", "--network", "none", "--tag", name, dir); err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	b.say(fmt.Sprintf("%s: built in %v", name, time.Since(begin).Round(time.Second)))
	return name, os.RemoveAll(dir)
}

// fill makes dir what the system's Dockerfile copies from.
func (b *builder) fill(ctx context.Context, dir string, s cluster.System, server string) error {
	own, err := fs.Sub(images.Files, string(s))
	if err != nil {
		return err
	}
	if err := copyTexts(dir, own); err != nil {
		return err
	}
	if err := os.CopyFS(filepath.Join(dir, "server"), os.DirFS(server)); err != nil {
		return err
	}
	p, _ := partsOf(s)
	for _, name := range p.definitions {
		if err := writeFile(filepath.Join(dir, "definitions", name), []byte(servers.Text(name)), 0o644); err != nil {
			return err
		}
	}
	if p.shell {
		if err := copyFile(filepath.Join(dir, "busybox"), b.busybox); err != nil {
			return err
		}
	}
	if !p.java {
		return nil
	}
	if err := b.makeJava(ctx); err != nil {
		return err
	}
	return os.CopyFS(filepath.Join(dir, "java"), os.DirFS(b.java))
}

// copyTexts copies the files of an image. What is embedded in a program has lost
// its mode: scripts are executable, and nothing else is.
func copyTexts(dir string, from fs.FS) error {
	return fs.WalkDir(from, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(from, name)
		if err != nil {
			return err
		}
		mode := fs.FileMode(0o644)
		if strings.HasPrefix(string(text), "#!") {
			mode = 0o755
		}
		return writeFile(filepath.Join(dir, filepath.FromSlash(name)), text, mode)
	})
}

// copyFile copies a file of the machine, and its mode.
func copyFile(to, from string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	return writeFile(to, text, info.Mode().Perm())
}

// writeFile writes a file, and makes its directory if need be.
func writeFile(name string, text []byte, mode fs.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, text, mode)
}

// output runs a program and returns what it writes to standard output in out, if
// that is not nil. An error has all that it wrote.
func output(ctx context.Context, out *string, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // it takes back what it has begun
	cmd.WaitDelay = 10 * time.Second
	var stdout, all strings.Builder
	cmd.Stdout, cmd.Stderr = io.MultiWriter(&stdout, &all), &all
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		call := path.Base(name) + " " + strings.Join(args, " ")
		return errors.Join(fmt.Errorf("%s: %w", call, err), errors.New(strings.TrimSpace(all.String())))
	}
	if out != nil {
		*out = strings.TrimSpace(stdout.String())
	}
	return nil
}
