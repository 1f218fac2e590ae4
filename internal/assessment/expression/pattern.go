package expression

import (
	"fmt"
	"regexp"
)

// longestPattern is in bytes. The time to compile grows with the length, and anyone who may write
// rules supplies patterns.
const longestPattern = 1000

// Pattern compiles the right side of a matches operator.
func Pattern(s string) (*regexp.Regexp, error) {
	if len(s) > longestPattern {
		return nil, fmt.Errorf("the pattern has more than %d bytes", longestPattern)
	}
	return regexp.Compile(s)
}
