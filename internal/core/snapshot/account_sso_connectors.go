package snapshot

import (
	"strings"
)

type ssoWire struct {
	ID           string `json:"id"`
	EmailDomain  string `json:"email_domain"`
	Enabled      bool   `json:"enabled"`
	Verification struct {
		Status string `json:"status"`
	} `json:"verification"`
}

// accountSSOConnectors lists the single SSO connectors of dashboard logins
// (developers.cloudflare.com/api/resources/iam/subresources/sso/methods/list/).
func accountSSOConnectors() Source {
	return list(AccountSSOConnectors, Source{
		Path: "/accounts/{account_id}/sso_connectors", Permission: "Account: SSO Connector Read",
		Example: `[{"id":"s1","email_domain":"acme.example","enabled":true,"verification":{"status":"verified","code":"drop-me"}}]`,
	}, func(w ssoWire) SSOConnector {
		return SSOConnector{ID: w.ID, EmailDomain: strings.ToLower(w.EmailDomain), Enabled: w.Enabled, Verification: w.Verification.Status}
	})
}
