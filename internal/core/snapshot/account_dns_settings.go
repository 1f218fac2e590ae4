package snapshot

// AccountDNSSettings holds the DNS settings that apply to all zones of the account.
const AccountDNSSettings Key[DNSDefaults] = "account/dns_settings"

// DNSDefaults are the DNS settings that apply to all zones. A nil switch was not returned.
type DNSDefaults struct {
	// DNSOnly answers with the addresses of origins, as if no record were proxied.
	DNSOnly *bool `json:"enforce_dns_only,omitempty"`
}

// accountDNSSettings reads the DNS settings that apply to all zones of the account
// (developers.cloudflare.com/api/resources/dns/subresources/settings/subresources/account/methods/get/).
func accountDNSSettings() Source {
	return object(AccountDNSSettings, Source{
		Path: "/accounts/{account_id}/dns_settings", Permission: "Account: Account DNS Settings Read",
		Example: `{"zone_defaults":{"multi_provider":false,"zone_mode":"standard"},"enforce_dns_only":false}`,
	}, asRead[DNSDefaults])
}
