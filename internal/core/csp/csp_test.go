package csp_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/csp"
)

func TestPoliciesThatLetAnyScriptRun(t *testing.T) {
	for policy, want := range map[string]bool{
		"script-src 'self' https://cdn.example":                false,
		"default-src 'none'; script-src https:":                true,
		"script-src *":                                         true,
		"default-src *; script-src 'self'":                     false,
		"default-src 'self'":                                   false,
		"DEFAULT-SRC *":                                        true,
		"img-src 'self'":                                       true,
		"script-src 'self' data:":                              true,
		"script-src 'nonce-abc' 'strict-dynamic' https: http:": false,
		"script-src *.shop.example":                            false,
		"; ;script-src 'self';":                                false,
		"script-src *; script-src 'self'":                      true, // the first of a repeated directive applies
		"script-src 'self'; script-src *":                      false,
		"script-src 'self'; script-src-elem *":                 true,
		"script-src *; script-src-elem 'self'":                 false,
		"":                                                     true,
		"script-src *:*":                                       true,
		"script-src https://*:443":                             true,
		"script-src https://*.shop.example:*":                  false,
		"script-src":                                           false, // none at all
	} {
		require.Equal(t, want, csp.Parse(policy).AnyScript(), policy)
	}
}
