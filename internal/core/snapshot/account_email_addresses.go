package snapshot

// AccountEmailAddresses holds the mailboxes to which Email Routing may forward.
const AccountEmailAddresses Key[[]MailDestination] = "account/email_addresses"

// MailDestination is a mailbox to which Email Routing may forward. Key is the short digest by which
// rules refer to it.
type MailDestination struct {
	ID       string `json:"id"`
	Address  string `json:"address"` // local part masked
	Key      string `json:"key"`
	Verified bool   `json:"verified"`
}

// SortKey orders mailboxes by id.
func (d MailDestination) SortKey() string { return d.ID }

type mailDestinationWire struct {
	ID       string `json:"id"`
	Tag      string `json:"tag"`
	Email    string `json:"email"`
	Verified Time   `json:"verified"`
}

// accountEmailAddresses lists the mailboxes to which Email Routing may forward, without their addresses
// (developers.cloudflare.com/api/resources/email_routing/subresources/addresses/methods/list/).
func accountEmailAddresses() Source {
	return list(AccountEmailAddresses, Source{
		Path: "/accounts/{account_id}/email/routing/addresses", Paging: Paging{Kind: ByPage, Size: 50},
		Permission: "Account: Email Routing Addresses Read",
		Example:    `[{"id":"d1","tag":"drop","email":"drop@acme.example","verified":"2026-01-01T00:00:00Z","created":"2026-01-01T00:00:00Z"}]`,
	}, func(w mailDestinationWire) MailDestination {
		id := w.ID
		if id == "" {
			id = w.Tag // the older name of the same identifier
		}
		masked, _ := maskEmail(w.Email)
		return MailDestination{ID: id, Address: masked, Key: addressKey(w.Email), Verified: !w.Verified.IsZero()}
	})
}
