package consul

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"

	"github.com/hashicorp/consul/api"

	"kvbench/internal/access"
	"kvbench/internal/target"
)

// A link is a connection to one server.
type link struct {
	endpoint  string
	api       *api.Client
	transport *http.Transport
}

// newLink returns a link that connects with its first request.
func newLink(config Config, endpoint string) (*link, error) {
	transport := &http.Transport{ // without a proxy, whatever the environment says
		DialContext:         (&net.Dialer{Timeout: config.Timeout}).DialContext,
		TLSClientConfig:     config.TLS.Config(endpoint),
		MaxIdleConnsPerHost: 1, // of one at a time
		IdleConnTimeout:     0, // never
		DisableCompression:  true,
	}
	settings := &api.Config{
		Address:    endpoint,
		Scheme:     "http",
		Token:      "none", // an empty one would be looked for in the environment; see identity
		HttpClient: &http.Client{Transport: newIdentity(config, transport), CheckRedirect: stay},
	}
	if config.TLS != nil {
		settings.Scheme = "https"
	}
	if !config.Login.IsZero() {
		settings.HttpAuth = &api.HttpBasicAuth{Username: config.Login.User, Password: config.Login.Password.Reveal()}
	}
	c, err := api.NewClient(settings)
	if err != nil {
		return nil, fmt.Errorf("consul at %s: %w", endpoint, err)
	}
	return &link{endpoint, c, transport}, nil
}

// stay makes a redirection the reply: Consul sends none, and the token is not for
// the server that is pointed at.
func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// dial returns a link that has performed a request.
func dial(ctx context.Context, config Config, endpoint string) (*link, error) {
	l, err := newLink(config, endpoint)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, config.Timeout)
	defer cancel()
	if err := l.check(ctx, config); err != nil {
		l.close()
		return nil, fmt.Errorf("consul at %s: connect: %w", endpoint, err)
	}
	return l, nil
}

// check performs a request that the client has to be allowed, and makes sure that
// it is Consul that replies.
func (l *link) check(ctx context.Context, config Config) error {
	_, meta, err := l.api.KV().Get(config.prefix()+".connect", config.query(ctx, api.QueryOptions{AllowStale: true}))
	status, failed := errors.AsType[api.StatusError](err)
	_, noJSON := errors.AsType[*json.SyntaxError](err)
	switch {
	case err == nil && meta.LastIndex > 0: // which Consul sends with every reply, even that a key isn't there
		return nil
	case err == nil, noJSON, failed && (status.Code < 400 || status.Code == http.StatusMethodNotAllowed):
		return fmt.Errorf("the server doesn't reply as Consul does: check CONSUL_ENDPOINTS and CONSUL_TLS%s", shown(status))
	}
	wrapped := config.wrap(ctx, err)
	if errors.Is(wrapped, target.ErrDenied) {
		return wrapped
	}
	return access.Explain("CONSUL", config.TLS, wrapped) // a connection that ends may be a sign, too
}

// shown returns the code of a status in parentheses, if there is one.
func shown(status api.StatusError) string {
	if status.Code == 0 {
		return ""
	}
	return fmt.Sprintf(" (response code %d)", status.Code)
}

func (l *link) close() { l.transport.CloseIdleConnections() }

// query returns options with what the configuration says of all requests.
func (c *Config) query(ctx context.Context, options api.QueryOptions) *api.QueryOptions {
	options.Datacenter, options.Partition = c.DataCenter, c.Partition
	return options.WithContext(ctx)
}

// write returns options with what the configuration says of all requests.
func (c *Config) write(ctx context.Context) *api.WriteOptions {
	return (&api.WriteOptions{Datacenter: c.DataCenter, Partition: c.Partition}).WithContext(ctx)
}

// An identity makes requests carry the configured token, and nothing that the
// library has found in the environment: it adds the variables of Consul's own tools
// to whatever it is told, so that servers of ours would be sent the token of
// others.
type identity struct {
	*http.Transport
	token []string // values of the header; nil: none
	strip []string // parameters of the query that come from the environment
}

func newIdentity(config Config, transport *http.Transport) *identity {
	i := &identity{Transport: transport}
	if !config.Token.IsZero() {
		i.token = []string{config.Token.Reveal()}
	}
	if os.Getenv(api.HTTPPartitionEnvName) != "" && config.Partition == "" {
		i.strip = append(i.strip, "partition")
	}
	if os.Getenv(api.HTTPNamespaceEnvName) != "" {
		i.strip = append(i.strip, "ns")
	}
	return i
}

// RoundTrip implements [http.RoundTripper]. The request is the library's, made for
// this call, so that it may be changed.
func (i *identity) RoundTrip(r *http.Request) (*http.Response, error) {
	if i.token == nil {
		delete(r.Header, "X-Consul-Token")
	} else {
		r.Header["X-Consul-Token"] = i.token
	}
	if len(i.strip) > 0 {
		q := r.URL.Query()
		for _, name := range i.strip {
			q.Del(name)
		}
		r.URL.RawQuery = q.Encode()
	}
	return i.Transport.RoundTrip(r)
}
