package snapshot

// ZoneEmailRouting holds whether the provider receives the mail of a zone.
const ZoneEmailRouting Key[EmailRouting] = "zone/email_routing"

// EmailRouting says whether the provider receives the mail of a zone. A nil switch was not
// returned.
type EmailRouting struct {
	Enabled *bool  `json:"enabled,omitempty"`
	Status  string `json:"status,omitempty"`
}

// zoneEmailRouting reads whether the provider receives the mail of a zone
// (developers.cloudflare.com/api/resources/email_routing/methods/get/).
func zoneEmailRouting() Source {
	return object(ZoneEmailRouting, Source{
		Path: "/zones/{zone_id}/email/routing", Volatile: true, Permission: "Zone: Zone Settings Read",
		After: []string{ZoneDNSRecords.Source()},
		Skip:  unlessAny(ZoneDNSRecords, DNSRecord.RoutedMail, "no MX record of the zone points to Email Routing"),
		Example: `{"id":"drop","tag":"drop","name":"acme.example","enabled":true,"status":"ready","skip_wizard":true,"synced":true,` +
			`"admin_locked":false,"created":"2026-01-01T00:00:00Z"}`,
	}, asRead[EmailRouting])
}
