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

// wrap wraps err, which may be nil, in the sentinel of its class. If it is about
// access, it adds which setting, or rule, is to be changed.
func (c *Config) wrap(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	wrapped := target.Wrap(ctx, classOf(err), brief(err))
	if !errors.Is(wrapped, target.ErrDenied) {
		return wrapped
	}
	if hint := c.hint(err); hint != "" {
		return fmt.Errorf("%w: %s", wrapped, hint)
	}
	return access.Explain("CONSUL", c.TLS, wrapped)
}

// brief returns err without the page for people that a proxy sends along.
func brief(err error) error {
	if status, ok := errors.AsType[api.StatusError](err); ok && strings.HasPrefix(strings.TrimSpace(status.Body), "<") {
		return fmt.Errorf("response code %d (%s)", status.Code, http.StatusText(status.Code))
	}
	return err
}

// hint returns what to change if err says that access was denied, or "".
func (c *Config) hint(err error) string {
	text := err.Error()
	status, _ := errors.AsType[api.StatusError](err)
	switch {
	case strings.Contains(text, "ACL not found"):
		return "check CONSUL_TOKEN"
	case strings.Contains(text, "No path to datacenter"):
		return fmt.Sprintf("check CONSUL_DATACENTER=%q", c.DataCenter)
	case strings.Contains(text, noPartitions):
		return fmt.Sprintf("unset CONSUL_PARTITION, which is %q", c.Partition)
	case strings.Contains(text, "Permission denied") && c.Token.IsZero():
		return "set CONSUL_TOKEN"
	case strings.Contains(text, "Permission denied"):
		return fmt.Sprintf("the policy of CONSUL_TOKEN needs: key_prefix \"%s/\" { policy = \"write\" }", c.Namespace)
	case status.Code == http.StatusUnauthorized && c.Login.IsZero():
		return "set CONSUL_USER and CONSUL_PASSWORD"
	case status.Code == http.StatusUnauthorized:
		return "check CONSUL_USER and CONSUL_PASSWORD"
	case status.Code == http.StatusForbidden: // of a proxy, or of an agent that was told not to serve
		return "check CONSUL_ENDPOINTS, CONSUL_TOKEN and CONSUL_USER"
	}
	return ""
}

// noPartitions is what the free edition says of the query's parameter.
const noPartitions = "Partitions are a Consul Enterprise feature"

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
		{noPartitions, target.ErrDenied},
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
