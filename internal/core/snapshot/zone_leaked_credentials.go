package snapshot

// ZoneLeakedCredentials holds whether known leaked passwords are detected.
const ZoneLeakedCredentials Key[Switch] = "zone/leaked_credentials"

// zoneLeakedCredentials reads whether known leaked passwords are detected
// (developers.cloudflare.com/api/resources/leaked_credential_checks/methods/get/).
func zoneLeakedCredentials() Source {
	return object(ZoneLeakedCredentials, Source{
		Path: "/zones/{zone_id}/leaked-credential-checks", Permission: "Zone: Zone WAF Read",
		Example: `{"enabled":true}`,
	}, asRead[Switch])
}
