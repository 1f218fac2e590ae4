package snapshot

// AccountList holds the accounts that the token can access.
const AccountList Key[[]Account] = "account/list"

// Account is a provider account as returned by the account list.
type Account struct {
	ID               string `json:"id"`
	Name             string `json:"name"`
	Type             string `json:"type"`
	CreatedOn        Time   `json:"created_on,omitzero"`
	EnforceTwoFactor bool   `json:"enforce_twofactor"`
	// TwoFactorUntold says that Cloudflare did not return whether a second factor is enforced.
	TwoFactorUntold bool `json:"enforce_twofactor_untold,omitempty"`
	AbuseContact    bool `json:"abuse_contact"`
}

// SortKey orders accounts by id.
func (a Account) SortKey() string { return a.ID }

type accountWire struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Type      string `json:"type"`
	CreatedOn Time   `json:"created_on"`
	Settings  struct {
		EnforceTwoFactor *bool  `json:"enforce_twofactor"`
		AbuseContact     string `json:"abuse_contact_email"`
	} `json:"settings"`
}

// accountList reads the accounts that the token can access; the assessed one is among them. An
// account-owned token may read that account but not the list
// (developers.cloudflare.com/api/resources/accounts/methods/list/).
func accountList() Source {
	return list(AccountList, Source{
		Path: "/accounts", Paging: Paging{Kind: ByPage, Size: 50}, Permission: "Account: Account Settings Read", Feeds: true,
		Singly: []SingleRead{{Path: "/accounts/{account_id}"}},
		Example: `[{"id":"a1","name":"Acme","type":"standard","created_on":"2020-01-01T00:00:00Z","settings":{"enforce_twofactor":true,` +
			`"abuse_contact_email":"x@acme.example"}}]`,
	}, func(w accountWire) Account {
		enforce := w.Settings.EnforceTwoFactor
		return Account{ID: w.ID, Name: w.Name, Type: w.Type, CreatedOn: w.CreatedOn,
			EnforceTwoFactor: enforce != nil && *enforce, TwoFactorUntold: enforce == nil, AbuseContact: w.Settings.AbuseContact != ""}
	})
}
