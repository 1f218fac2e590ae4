package snapshot_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

func TestHSTSInWords(t *testing.T) {
	for want, h := range map[string]snapshot.HSTS{"off": {MaxAge: 9}, "max-age=0": {Enabled: true},
		"max-age=86400; includeSubDomains; preload": {Enabled: true, MaxAge: 86400, IncludeSubdomains: true, Preload: true}} {
		require.Equal(t, want, h.String())
	}
}
