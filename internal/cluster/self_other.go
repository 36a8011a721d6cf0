//go:build !linux

package cluster

import (
	"os"
	"syscall"
)

// self is the program that runs.
func self() (string, error) { return os.Executable() }

// serverAttr gives a server a process group of its own. Without a parent death
// signal it survives a keeper that is killed; a keeper that is left alone stops
// it in every case.
func serverAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}
