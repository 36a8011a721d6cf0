package suite

import (
	"sync"
	"sync/atomic"
)

// parallel calls f(0) to f(n-1), at most limit at a time, and returns the first
// error. After an error no further calls are made.
func parallel(n, limit int, f func(i int) error) error {
	var next atomic.Int64
	var failed atomic.Bool
	errs := make([]error, min(n, limit))
	var wg sync.WaitGroup
	for w := range errs {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && !failed.Load(); i = int(next.Add(1)) - 1 {
				if errs[w] = f(i); errs[w] != nil {
					failed.Store(true)
					return
				}
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
