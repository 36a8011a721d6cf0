package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// javaHome is where the virtual machine lies in an image.
const javaHome = "opt/java/openjdk"

// modules are those of Java SE, and what servers use of the JDK beside them.
const modules = "java.se,jdk.attach,jdk.charsets,jdk.crypto.ec,jdk.jcmd,jdk.management,jdk.management.agent," +
	"jdk.naming.dns,jdk.net,jdk.nio.mapmode,jdk.security.auth,jdk.unsupported,jdk.zipfs"

// makeJava makes a directory with a Java virtual machine and what it needs of a
// file system, unless it has been made. The virtual machine and the C library are
// this machine's: a distribution's base system would be ten times the files, and
// getting one takes a mirror of it and root.
func (b *builder) makeJava(ctx context.Context) error {
	if b.java != "" {
		return nil
	}
	dir := filepath.Join(b.tmp, "java")
	home := filepath.Join(dir, javaHome)
	if err := output(ctx, nil, b.jlink, "--add-modules", modules, "--no-header-files", "--no-man-pages", "--output", home); err != nil {
		return err
	}
	libraries, err := findLibraries(ctx, home)
	if err != nil {
		return err
	}
	for _, name := range libraries {
		if err := copyFile(filepath.Join(dir, name), name); err != nil {
			return err
		}
	}
	b.java = dir
	return nil
}

// findLibraries returns the paths of the shared libraries that servers in the
// virtual machine load, and of the loader. They keep their paths in the image.
// The virtual machine's parts for windows and sound would need more.
func findLibraries(ctx context.Context, home string) ([]string, error) {
	var out string
	err := output(ctx, &out, "ldd", filepath.Join(home, "bin/java"), filepath.Join(home, "lib/server/libjvm.so"),
		filepath.Join(home, "lib/libjimage.so"), filepath.Join(home, "lib/libzip.so"))
	if err != nil {
		return nil, err
	}
	found := slices.DeleteFunc(parseLdd(out), func(name string) bool { return strings.HasPrefix(name, home) })
	libc := slices.IndexFunc(found, func(name string) bool { return filepath.Base(name) == "libc.so.6" })
	if libc < 0 {
		return nil, fmt.Errorf("ldd finds no glibc: the images need a JDK made for it:\n%s", out)
	}
	for _, name := range besideLibc {
		name = filepath.Join(filepath.Dir(found[libc]), name)
		if _, err := os.Stat(name); err == nil && !slices.Contains(found, name) {
			found = append(found, name)
		}
	}
	return found, nil
}

// besideLibc are libraries that are opened at run time: by glibc, to look up users
// and hosts, and by native code in the servers' jars. Some are in libc.so.6 itself
// as of glibc 2.34, where those that are there are empty ones for old programs.
var besideLibc = []string{
	"libdl.so.2", "libgcc_s.so.1", "libnss_dns.so.2", "libnss_files.so.2", "libpthread.so.0", "libresolv.so.2", "librt.so.1",
}

// lddFile matches the file in a line of ldd.
var lddFile = regexp.MustCompile(`(?m)(/\S+) \(0x[0-9a-f]+\)$`)

// parseLdd returns the files that ldd names, each once.
func parseLdd(out string) []string {
	var files []string
	for _, m := range lddFile.FindAllStringSubmatch(out, -1) {
		files = append(files, m[1])
	}
	slices.Sort(files)
	return slices.Compact(files)
}
