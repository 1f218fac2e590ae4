package snapshot

// ZoneCTAlerting holds who is notified of new certificates.
const ZoneCTAlerting Key[CTAlerting] = "zone/ct_alerting"

// CTAlerting says who is notified of new certificates for the zone.
type CTAlerting struct {
	Enabled *bool `json:"enabled"`
	Emails  int   `json:"emails"`
}

type ctAlertingWire struct {
	Enabled *bool    `json:"enabled"`
	Emails  []string `json:"emails"`
}

// zoneCTAlerting reads who is notified of new certificates; only the number of addresses is kept
// (developers.cloudflare.com/ssl/edge-certificates/additional-options/certificate-transparency-monitoring/).
func zoneCTAlerting() Source {
	return object(ZoneCTAlerting, Source{
		Path: "/zones/{zone_id}/ct/alerting", Permission: permissionCertificates,
		Example: `{"enabled":true,"emails":["drop@acme.example"]}`,
	}, func(w ctAlertingWire) CTAlerting {
		return CTAlerting{Enabled: w.Enabled, Emails: len(w.Emails)}
	})
}
