package snapshot

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestUploadedCertificatesAreRead: the list is read for every kind of pack that somebody uploaded, one without its key included.
func TestUploadedCertificatesAreRead(t *testing.T) {
	for kind, read := range map[string]bool{"universal": false, "advanced": false, "managed_hostname": false, "sni_custom": true,
		"legacy_custom": true, "keyless": true} {
		known := NewKnown(func(source, scope string) (Section, bool) {
			value, err := Canonical([]CertificatePack{{ID: "p", Type: kind, Status: "active"}})
			require.NoError(t, err)
			return Section{Source: source, Scope: scope, Status: OK, Value: value}, source == ZoneCertificatePacks.Source()
		})
		reason := zoneCustomCertificates().Skip(known, SourceScope{Zone: Zone{ID: "z"}})
		require.Equal(t, read, reason == "", kind)
	}
}
