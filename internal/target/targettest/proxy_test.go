package targettest

import (
	"io"
	"net"
	"testing"
)

// echo starts a server that sends back what it gets.
func echo(t *testing.T) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				io.Copy(conn, conn) // ends with the connection
			}()
		}
	}()
	return ln.Addr().String()
}

// ping sends a byte through conn and wants it back.
func ping(conn net.Conn) error {
	if _, err := conn.Write([]byte{42}); err != nil {
		return err
	}
	_, err := io.ReadFull(conn, make([]byte, 1))
	return err
}

func TestProxy(t *testing.T) {
	p := NewProxy(t, echo(t))
	dial := func() net.Conn {
		conn, err := net.Dial("tcp", p.Addr)
		if err != nil {
			t.Fatalf("dial: %v", err)
		}
		t.Cleanup(func() { conn.Close() })
		return conn
	}
	before := dial()
	if err := ping(before); err != nil {
		t.Fatalf("through the proxy: %v", err)
	}
	mend := p.Break()
	if err := ping(before); err == nil {
		t.Error("a connection survived the break")
	}
	if conn, err := net.Dial("tcp", p.Addr); err == nil {
		conn.Close()
		t.Error("the broken proxy accepts connections")
	}
	mend()
	if err := ping(dial()); err != nil {
		t.Errorf("after mending: %v", err)
	}
}
