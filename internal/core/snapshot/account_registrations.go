package snapshot

// AccountRegistrations holds the domains registered with the provider.
const AccountRegistrations Key[[]Registration] = "account/registrations"

// Registration is a domain registered with the provider.
type Registration struct {
	Domain    string `json:"domain"`
	Status    string `json:"status"`
	Locked    *bool  `json:"locked"`
	AutoRenew *bool  `json:"auto_renew"`
	ExpiresAt Time   `json:"expires_at,omitzero"`
	Privacy   string `json:"privacy_mode,omitempty"`
}

// SortKey orders registrations by domain.
func (r Registration) SortKey() string { return r.Domain }

type registrationWire struct {
	Domain    string `json:"domain_name"`
	Status    string `json:"status"`
	Locked    *bool  `json:"locked"`
	AutoRenew *bool  `json:"auto_renew"`
	ExpiresAt Time   `json:"expires_at"`
	Privacy   string `json:"privacy_mode"`
}

// accountRegistrations lists the domains registered with the provider; those
// registered elsewhere never appear
// (developers.cloudflare.com/api/resources/registrar/subresources/registrations/methods/list/).
func accountRegistrations() Source {
	return list(AccountRegistrations, Source{
		Path: "/accounts/{account_id}/registrar/registrations", Paging: Paging{Kind: ByCursor, Size: 50}, Volatile: true,
		Permission: "Account: Registrar: Domains Read",
		Example: `[{"domain_name":"acme.example","status":"active","locked":true,"auto_renew":true,` +
			`"privacy_mode":"redaction","expires_at":"2027-01-01T00:00:00Z","contacts":{"registrant":{"email":"drop"}}}]`,
	}, func(w registrationWire) Registration {
		w.Domain = ASCII(w.Domain)
		return Registration(w)
	})
}
