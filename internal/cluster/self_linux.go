package cluster

import "syscall"

// self is the program that runs, even if its file has been replaced or removed.
func self() (string, error) { return "/proc/self/exe", nil }

// serverAttr gives a server a process group of its own and has the kernel kill
// it when the thread of the keeper that started it ends.
func serverAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
