package main

import (
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"kvbench/internal/cluster"
)

// findTools finds what building the systems' images takes. Its error says all that
// is missing, and what to install.
func (b *builder) findTools(ctx context.Context, systems []cluster.System) error {
	errs := []error{checkEngine(ctx)}
	if slices.ContainsFunc(systems, func(s cluster.System) bool { p, _ := partsOf(s); return p.shell }) {
		var err error
		b.busybox, err = findBusybox()
		errs = append(errs, err)
	}
	if slices.ContainsFunc(systems, func(s cluster.System) bool { p, _ := partsOf(s); return p.java }) {
		var err error
		b.jlink, err = findJlink(ctx)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// checkEngine asks the Docker engine what it runs. The servers and libraries that
// go into the images are this machine's.
func checkEngine(ctx context.Context) error {
	var runs string
	err := output(ctx, &runs, "docker", "version", "--format", "{{.Server.Os}}/{{.Server.Arch}}")
	if err != nil {
		return fmt.Errorf("no Docker engine answers: install one and start it (Debian: docker.io): %w", err)
	}
	if here := runtime.GOOS + "/" + runtime.GOARCH; runs != here {
		return fmt.Errorf("the Docker engine runs %s, and the servers that can be had here are for %s: use a machine of the engine's kind", runs, here)
	}
	return nil
}

// findBusybox returns the path of a busybox that needs no libraries.
func findBusybox() (string, error) {
	const hint = "install a statically linked busybox (Debian: busybox-static)"
	name, err := exec.LookPath("busybox")
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, hint)
	}
	f, err := elf.Open(name)
	if err != nil {
		return "", fmt.Errorf("%s: %w: %s", name, err, hint)
	}
	defer f.Close()
	if slices.ContainsFunc(f.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP }) {
		return "", fmt.Errorf("%s needs libraries: %s", name, hint)
	}
	return name, nil
}

// findJlink returns the path of JAVA_HOME's jlink if that is set, else of PATH's.
func findJlink(ctx context.Context) (string, error) {
	const hint = "install a JDK 17 (Debian: openjdk-17-jdk-headless), or set JAVA_HOME to one"
	name := "jlink"
	if home := os.Getenv("JAVA_HOME"); home != "" {
		name = filepath.Join(home, "bin", name)
	}
	name, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, hint)
	}
	var version string
	if err := output(ctx, &version, name, "--version"); err != nil {
		return "", fmt.Errorf("%w: %s", err, hint)
	}
	if !strings.HasPrefix(version, "17.") {
		return "", fmt.Errorf("%s is of Java %s: %s", name, version, hint)
	}
	if _, err := exec.LookPath("ldd"); err != nil {
		return "", fmt.Errorf("%w: the Java virtual machine's libraries are found by glibc's ldd", err)
	}
	return name, nil
}
