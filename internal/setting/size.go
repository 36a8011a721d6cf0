package setting

import (
	"fmt"
	"strconv"
	"strings"
)

// Bytes returns the number of bytes that a size such as 2GiB or 512MiB is. An
// empty text is 0.
func Bytes(text string) (int64, error) {
	if text == "" {
		return 0, nil
	}
	digits, shift := text, 0
	for i, unit := range []string{"KiB", "MiB", "GiB", "TiB"} {
		if d, ok := strings.CutSuffix(text, unit); ok {
			digits, shift = d, 10*(i+1)
		}
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n < 0 || n > 1<<62>>shift {
		return 0, fmt.Errorf("%q is no number of bytes", text)
	}
	return n << shift, nil
}
