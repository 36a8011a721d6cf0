package consul

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/hashicorp/consul/api"

	"kvbench/internal/target"
)

// wrap wraps err in the sentinel of its class.
func wrap(ctx context.Context, err error) error { return target.Wrap(ctx, classOf(err), err) }

// classOf returns the sentinel for an error of the library, or nil.
func classOf(err error) error {
	var failed *url.Error
	if errors.As(err, &failed) { // no reply
		if failed.Timeout() {
			return target.ErrTimeout
		}
		return target.ErrUnavailable
	}
	if errors.Is(err, io.ErrUnexpectedEOF) { // half a reply
		return target.ErrUnavailable
	}
	var status api.StatusError
	if errors.As(err, &status) {
		switch status.Code {
		case http.StatusRequestEntityTooLarge:
			return target.ErrTooLarge
		case http.StatusTooManyRequests:
			return target.ErrOverload
		case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
			return target.ErrUnavailable
		}
	}
	return classOfText(err.Error())
}

// classOfText knows the errors that arrive as text only: Consul replies to most
// with status 500, and the library drops the status of a failed transaction.
func classOfText(text string) error {
	for _, known := range []struct {
		text  string
		class error
	}{
		{"too large", target.ErrTooLarge},
		{"too many operations", target.ErrTooLarge},
		{"rate limit exceeded", target.ErrOverload},
		{"No cluster leader", target.ErrUnavailable},
		{"No known Consul servers", target.ErrUnavailable},
		{"Not ready to serve consistent reads", target.ErrUnavailable},
		{"Raft leader not found", target.ErrUnavailable},
		{"leadership lost", target.ErrUnavailable},
		{"node is not the leader", target.ErrUnavailable},
		{"rpc error", target.ErrUnavailable},      // between the agent that was asked and the leader
		{"Failed to read", target.ErrUnavailable}, // half a reply
	} {
		if strings.Contains(text, known.text) {
			return known.class
		}
	}
	return nil
}
