package snapshot

// ZoneLeakedCredentials tells whether passwords known to be stolen are noticed.
const ZoneLeakedCredentials Key[Switch] = "zone/leaked_credentials"

// zoneLeakedCredentials reads whether passwords known to be stolen are noticed
// (developers.cloudflare.com/api/resources/leaked_credential_checks/methods/get/).
func zoneLeakedCredentials() Source {
	return object(ZoneLeakedCredentials, Source{
		Path: "/zones/{zone_id}/leaked-credential-checks", Permission: "Zone: Zone WAF Read",
		Example: `{"enabled":true}`,
	}, asRead[Switch])
}
