package snapshot

import "strings"

// AccountSSOConnectors holds the single sign-on connectors of dashboard logins.
const AccountSSOConnectors Key[[]SSOConnector] = "account/sso_connectors"

// SSOConnector routes logins of one e-mail domain through an identity provider.
type SSOConnector struct {
	ID           string `json:"id"`
	EmailDomain  string `json:"email_domain"`
	Enabled      bool   `json:"enabled"`
	Verification string `json:"verification"`
}

// SortKey orders connectors by id.
func (c SSOConnector) SortKey() string { return c.ID }

// Covers reports whether the connector is in force.
func (c SSOConnector) Covers() bool { return c.Enabled && c.Verification == "verified" }

type ssoWire struct {
	ID           string `json:"id"`
	EmailDomain  string `json:"email_domain"`
	Enabled      bool   `json:"enabled"`
	Verification struct {
		Status string `json:"status"`
	} `json:"verification"`
}

// accountSSOConnectors lists the single sign-on connectors of dashboard logins
// (developers.cloudflare.com/api/resources/iam/subresources/sso/methods/list/).
func accountSSOConnectors() Source {
	return list(AccountSSOConnectors, Source{
		Path: "/accounts/{account_id}/sso_connectors", Permission: "Account: SSO Connector Read",
		Example: `[{"id":"s1","email_domain":"acme.example","enabled":true,"verification":{"status":"verified","code":"drop-me"}}]`,
	}, func(w ssoWire) SSOConnector {
		return SSOConnector{ID: w.ID, EmailDomain: strings.ToLower(w.EmailDomain), Enabled: w.Enabled, Verification: w.Verification.Status}
	})
}
