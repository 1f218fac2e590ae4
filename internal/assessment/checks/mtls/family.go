// Package mtls holds the checks of mutual TLS: certificates that clients present to the edge, and
// the edge to origins.
package mtls

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

const docsMutual = "https://developers.cloudflare.com/cloudflare-one/identity/devices/access-integrations/mutual-tls-authentication/"

// pull is an example edit of the certificates that the edge presents to origins.
func pull(on bool, zone, hosts []snapshot.OriginPullCert) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		snapshot.Put(b, snapshot.ZoneAOPSettings, goodtest.Zone, snapshot.OriginPull{Enabled: &on})
		snapshot.Put(b, snapshot.ZoneAOPCertificates, goodtest.Zone, zone)
		snapshot.Put(b, snapshot.ZoneAOPHostCertificates, goodtest.Zone, hosts)
	}
}

// active returns one deployed example certificate.
func active(days int) []snapshot.OriginPullCert {
	return []snapshot.OriginPullCert{{ID: "op1", Status: "active", ExpiresOn: goodtest.InDays(days)}}
}
