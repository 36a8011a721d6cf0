package cql

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"time"
)

// A server that speaks no version of the protocol that the suite does.
func TestOtherProtocol(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go refuseVersion(conn)
		}
	}()
	c := Config{Dialect: Cassandra(), Endpoints: []string{l.Addr().String()}, Namespace: "n", Timeout: 5 * time.Second}
	_, err = Version(t.Context(), c)
	if err == nil || !strings.Contains(err.Error(), "the suite speaks version 4 of CQL's protocol") {
		t.Errorf("got %v", err)
	}
	t.Log(err)
	if errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("it took the whole timeout: %v", err)
	}
}

// refuseVersion answers each request as a Cassandra of the time before version 4.
func refuseVersion(conn net.Conn) {
	defer conn.Close()
	header := make([]byte, 9)
	for {
		if _, err := conn.Read(header); err != nil {
			return
		}
		message := "Invalid or unsupported protocol version (4); the lowest supported version is 3 and the greatest is 3"
		body := append([]byte{0, 0, 0, 0x0a, 0, byte(len(message))}, message...) // a protocol error
		reply := append([]byte{0x83, 0, header[2], header[3], 0, 0, 0, 0, byte(len(body))}, body...)
		if _, err := conn.Write(reply); err != nil {
			return
		}
	}
}
