package expression

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
)

// Bounds of a pattern, in bytes and in instructions of its program, which repetitions multiply. The time to
// compile it and to look for it grows with them, and anyone who may write rules supplies patterns.
const (
	longestPattern = 1000
	largestProgram = 2000
)

// Pattern compiles the right side of a matches operator. Cloudflare's engine is that of Rust
// (developers.cloudflare.com/ruleset-engine/rules-language/values/): a class that it reads in another
// way is an error.
func Pattern(s string) (*regexp.Regexp, error) {
	if len(s) > longestPattern {
		return nil, fmt.Errorf("the pattern has more than %d bytes", longestPattern)
	}
	if nests(s) {
		return nil, errors.New("the pattern has a class within a class, or joins classes")
	}
	parsed, err := syntax.Parse(s, syntax.Perl)
	if err != nil {
		return nil, err
	}
	if program, err := syntax.Compile(parsed.Simplify()); err != nil || len(program.Inst) > largestProgram {
		return nil, errors.Join(fmt.Errorf("the pattern takes more than %d steps", largestProgram), err)
	}
	return regexp.Compile(s)
}

// nests reports whether a class holds another one, or the operators of classes that only Rust has
// (docs.rs/regex, "Character classes").
func nests(pattern string) bool {
	in := false
	for i := 0; i < len(pattern); i++ {
		rest := pattern[i:]
		switch {
		case rest[0] == '\\':
			i++
		case !in:
			in = rest[0] == '['
			if in && (strings.HasPrefix(rest, "[]") || strings.HasPrefix(rest, "[^]")) {
				i += strings.IndexByte(rest, ']') // the first member of the class
			}
		case rest[0] == ']':
			in = false
		case strings.HasPrefix(rest, "[:"):
			if end := strings.Index(rest, ":]"); end > 0 {
				i += end + 1
			}
		case rest[0] == '[', strings.HasPrefix(rest, "&&"), strings.HasPrefix(rest, "--"), strings.HasPrefix(rest, "~~"):
			return true
		}
	}
	return false
}
