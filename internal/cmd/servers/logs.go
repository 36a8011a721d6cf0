package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"kvbench/internal/cluster"
)

// logs prints the ends of clusters' logs.
func (t *tool) logs(args []string) error {
	f := newFlags("logs", "[-n lines] [-f] [name…]")
	lines := f.Int("n", 20, "`lines` of each log, from its end")
	follow := f.Bool("f", false, "go on with what is added, until interrupted or the servers are stopped")
	names, err := t.parse(f, args)
	if err != nil {
		return err
	}
	if *lines < 0 {
		return misused("logs: -n %d: less than nothing", *lines)
	}
	kept, err := named(names)
	if err != nil {
		return err
	}
	p := &printer{out: t.stdout}
	defer p.close()
	for _, k := range kept {
		err = errors.Join(err, p.open(k, *lines))
	}
	if err = errors.Join(err, p.print()); err != nil || !*follow {
		return err
	}
	return t.follow(p)
}

// pause is how long what is added to a log may wait.
const pause = 200 * time.Millisecond

// follow prints what is added, until it is interrupted or all logs are removed.
func (t *tool) follow(p *printer) error {
	for p.anyLeft() {
		select {
		case <-t.ctx.Done():
			return nil
		case <-time.After(pause):
		}
		if err := p.print(); err != nil {
			return err
		}
	}
	return nil
}

// A printer prints logs, each part under its log's name if there are several.
type printer struct {
	out  io.Writer
	logs []openLog
	last string // name of the log that was printed last
}

type openLog struct {
	cluster.Log
	file *os.File
}

// open adds a cluster's logs, from so many lines before their ends.
func (p *printer) open(k *cluster.Kept, lines int) error {
	var errs []error
	for _, l := range k.Logs() {
		f, err := os.Open(l.File)
		if err == nil {
			p.logs = append(p.logs, openLog{l, f})
			err = seekLast(f, lines)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", l.Name, err))
		}
	}
	return errors.Join(errs...)
}

func (p *printer) close() {
	for _, l := range p.logs {
		l.file.Close()
	}
}

// anyLeft reports whether a log is there still.
func (p *printer) anyLeft() bool {
	for _, l := range p.logs {
		if _, err := os.Stat(l.File); err == nil {
			return true
		}
	}
	return false
}

// print prints what it hasn't yet.
func (p *printer) print() error {
	for _, l := range p.logs {
		text, err := io.ReadAll(l.file)
		if err != nil {
			return err
		}
		if len(text) == 0 {
			continue
		}
		if len(p.logs) > 1 && p.last != l.Name {
			if _, err := fmt.Fprintf(p.out, "==> %s <==\n", l.Name); err != nil {
				return err
			}
			p.last = l.Name
		}
		if _, err := p.out.Write(text); err != nil {
			return err
		}
	}
	return nil
}

// seekLast goes to the beginning of the last lines of a file.
func seekLast(f io.ReadSeeker, lines int) error {
	at, err := f.Seek(0, io.SeekEnd)
	if err != nil || lines == 0 {
		return err
	}
	block := make([]byte, 1<<15)
	for seen, first := 0, true; at > 0; first = false {
		n := min(at, int64(len(block)))
		at -= n
		if _, err := f.Seek(at, io.SeekStart); err != nil {
			return err
		}
		if _, err := io.ReadFull(f, block[:n]); err != nil {
			return err
		}
		part := block[:n]
		if first && part[n-1] != '\n' {
			seen = 1 // the last line isn't complete
		}
		for i := bytes.LastIndexByte(part, '\n'); i >= 0; i = bytes.LastIndexByte(part[:i], '\n') {
			if seen++; seen > lines {
				_, err := f.Seek(at+int64(i)+1, io.SeekStart)
				return err
			}
		}
	}
	_, err = f.Seek(0, io.SeekStart)
	return err
}
