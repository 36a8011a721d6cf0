// Benchgate exits with 1 if benchmark results are worse than older ones, and with
// 2 if that can't be told.
//
//	go tool benchgate old.txt new.txt
//	go tool benchgate -col etcd-version both.txt
//	go tool benchgate -history history.txt -append tonight.txt
//	go tool benchgate -noise results.txt
//
// Package gate says what worse means.
package main

import (
	"os"

	"kvbench/internal/gate"
)

func main() { os.Exit(gate.Command(os.Args[1:], os.Stdout, os.Stderr)) }
