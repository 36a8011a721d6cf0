// Package servers holds the definitions of the servers that the suite starts:
// build files and configurations, a directory per system, embedded so that a
// compiled test binary needs no source tree.
//
// A go.mod is named go.mod.txt here, since go:embed leaves out directories that
// are modules of their own.
package servers

import (
	"embed"
	"io/fs"
)

//go:embed */*
var files embed.FS

// Text returns the definition with the given name, such as "etcd/go.mod.txt".
// It panics if there is none: names are constants of the program.
func Text(name string) string {
	b, err := fs.ReadFile(files, name)
	if err != nil {
		panic(err)
	}
	return string(b)
}
