package consul

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/hashicorp/consul/api"

	"kvbench/internal/access"
	"kvbench/internal/target"
)

// wrap wraps err, which may be nil, in the sentinel of its class.
func wrap(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	return target.Wrap(ctx, classOf(err), err)
}

// classOf returns the sentinel for an error of the library, or nil.
func classOf(err error) error {
	if access.Certain(err) {
		return target.ErrDenied
	}
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
		case http.StatusForbidden, http.StatusUnauthorized:
			return target.ErrDenied
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
		{"Permission denied", target.ErrDenied}, // in a transaction
		{"ACL not found", target.ErrDenied},
		{"No path to datacenter", target.ErrDenied},
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

// unknownToken reports whether the servers don't know the token, as opposed to one
// that may not do something.
func unknownToken(err error) bool { return strings.Contains(err.Error(), "ACL not found") }

// explain adds to an error of credentials, permissions or TLS which setting, or
// rule, is to be changed.
func explain(config Config, err error) error {
	text := err.Error()
	switch {
	case unknownToken(err):
		return fmt.Errorf("%w: check CONSUL_TOKEN", err)
	case strings.Contains(text, "No path to datacenter"):
		return fmt.Errorf("%w: check CONSUL_DATACENTER=%q", err, config.DataCenter)
	case strings.Contains(text, "(401"), strings.Contains(text, "response code: 401"):
		return fmt.Errorf("%w: check CONSUL_USER and CONSUL_PASSWORD", err)
	case errors.Is(err, target.ErrDenied) && strings.Contains(text, "Permission denied"):
		if config.Token.IsZero() {
			return fmt.Errorf("%w: set CONSUL_TOKEN", err)
		}
		return fmt.Errorf("%w: the policy of CONSUL_TOKEN needs: key_prefix \"%s/\" { policy = \"write\" }", err, config.Namespace)
	}
	return access.Explain("CONSUL", config.TLS, err)
}
