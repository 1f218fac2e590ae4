package expression

import (
	"fmt"
	"regexp"
)

// longestPattern is in bytes. Compiling takes time that grows with the length, and patterns
// come from whoever may write rules.
const longestPattern = 1000

// Pattern compiles the right side of a matches operator.
func Pattern(s string) (*regexp.Regexp, error) {
	if len(s) > longestPattern {
		return nil, fmt.Errorf("the pattern has more than %d bytes", longestPattern)
	}
	return regexp.Compile(s)
}
