package target

import (
	"errors"
	"fmt"
)

// OpenAny opens a connection to the first of some endpoints that answers. One that
// denies access answers. The error is one line that has those of all endpoints.
func OpenAny[T any](endpoints []string, open func(endpoint string) (T, error)) (conn T, err error) {
	for _, endpoint := range endpoints {
		opened, failed := open(endpoint)
		if failed == nil || errors.Is(failed, ErrDenied) {
			return opened, failed
		}
		if err == nil {
			err = failed
		} else {
			err = fmt.Errorf("%w; %w", err, failed)
		}
	}
	return conn, err
}
