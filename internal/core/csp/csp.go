// Package csp reads content security policies as browsers do (www.w3.org/TR/CSP3/).
package csp

import (
	"slices"
	"strings"
)

// Policy maps the directives of one policy to their sources, in lower case. A directive without sources allows none.
type Policy map[string][]string

// Parse reads one policy; the first of a repeated directive applies (section 2.2.1).
func Parse(text string) Policy {
	out := Policy{}
	for d := range strings.SplitSeq(strings.ToLower(text), ";") {
		words := strings.Fields(d)
		if len(words) == 0 {
			continue
		}
		if _, repeated := out[words[0]]; !repeated {
			out[words[0]] = words[1:]
		}
	}
	return out
}

// Scripts returns the sources of script elements; named is false when no directive limits them. Each directive stands for the
// next (section 6.8.3).
func (p Policy) Scripts() (sources []string, named bool) {
	for _, d := range []string{"script-src-elem", "script-src", "default-src"} {
		if sources, named = p[d]; named {
			return sources, true
		}
	}
	return nil, false
}

// AnyScript reports whether scripts of every host run. Browsers that know 'strict-dynamic' ignore hosts and schemes beside it.
func (p Policy) AnyScript() bool {
	sources, named := p.Scripts()
	return !named || AnyHost(sources) && !slices.Contains(sources, "'strict-dynamic'")
}

// AnyHost reports whether a source matches every host.
func AnyHost(sources []string) bool {
	return slices.ContainsFunc(sources, func(s string) bool {
		if slices.Contains([]string{"http:", "https:", "data:"}, s) {
			return true
		}
		for _, scheme := range []string{"http://", "https://"} {
			s = strings.TrimPrefix(s, scheme)
		}
		host, _, _ := strings.Cut(s, ":") // any port
		return host == "*"
	})
}
