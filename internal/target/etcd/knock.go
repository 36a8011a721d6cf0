package etcd

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"kvbench/internal/access"
	"kvbench/internal/target"
)

// The client library tries to connect until a deadline, whatever the reason is
// why it can't, and tells little of it. So the first connection to a server is one
// that says no more than that it speaks HTTP/2, as gRPC does, and whose failures
// are seen as they are.

// preface is what a client of HTTP/2 says first, and an empty SETTINGS frame (RFC
// 9113, section 3.4).
const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + "\x00\x00\x00" + "\x04" + "\x00" + "\x00\x00\x00\x00"

// frameHeader and settingsFrame are the length and type of a frame's header.
const (
	frameHeader   = 9
	settingsFrame = 4
)

// knock returns an error if it is certain that the server at endpoint will never
// let this client in. That a server isn't there yet is not certain.
func knock(ctx context.Context, config Config, endpoint string) error {
	ctx, cancel := context.WithTimeout(ctx, config.Timeout)
	defer cancel()
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", endpoint)
	if err != nil {
		return nil // the library goes on trying, and says so in the end
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })()
	err = greet(ctx, config.TLS, endpoint, conn)
	if err == nil || ctx.Err() != nil {
		return nil
	}
	class := target.ErrUnavailable
	if access.Certain(err) || errors.Is(err, errNotEtcd) {
		class = target.ErrDenied
	}
	return target.Wrap(ctx, class, access.Explain("ETCD", config.TLS, err))
}

// errNotEtcd is for a server that answers, but not as one of gRPC does.
var errNotEtcd = errors.New("the server doesn't speak HTTP/2, as an etcd of version 3 does")

// greet begins a connection and waits for the server's first frame.
func greet(ctx context.Context, t *access.TLS, endpoint string, conn net.Conn) error {
	if c := t.Config(endpoint); c != nil {
		c.NextProtos = []string{"h2"}
		secured := tls.Client(conn, c)
		if err := secured.HandshakeContext(ctx); err != nil {
			return err
		}
		conn = secured
	}
	if _, err := io.WriteString(conn, preface); err != nil {
		return err
	}
	header := make([]byte, frameHeader)
	n, err := io.ReadFull(conn, header)
	switch {
	case bytes.HasPrefix(header[:n], []byte("HTTP/1")):
		return answered(conn, header[:n])
	case err != nil && !errors.Is(err, io.ErrUnexpectedEOF):
		return err
	case err != nil || header[3] != settingsFrame:
		if t == nil && n > 0 && header[0] == 21 { // an alert of TLS
			return fmt.Errorf("%w: it answers with an alert of TLS: set ETCD_TLS to true", errNotEtcd)
		}
		return fmt.Errorf("%w: it answers %q", errNotEtcd, header[:n])
	}
	return nil
}

// answered is the error for a server that answers as HTTP/1 servers do.
func answered(conn net.Conn, start []byte) error {
	rest, _ := io.ReadAll(io.LimitReader(conn, 512)) // what comes of it will do
	text := bytes.Join(bytes.Fields(append(start, rest...)), []byte(" "))
	return fmt.Errorf("%w: it answers %q", errNotEtcd, text)
}
