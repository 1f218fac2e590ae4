package snapshot

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/mailauth"
)

// EmailSecurityDomains holds the mail domains that are filtered.
const EmailSecurityDomains Key[[]ProtectedDomain] = "account/email_security_domains"

// ProtectedDomain is a mail domain whose mail is filtered. A nil member was null or absent.
type ProtectedDomain struct {
	ID            string   `json:"id"`
	Domain        string   `json:"domain"`
	Status        string   `json:"status,omitempty"`
	Authorized    *bool    `json:"authorized,omitempty"`
	DeliveryModes []string `json:"allowed_delivery_modes"`
	Drops         []string `json:"dispositions"`
	RequiresTLSIn *bool    `json:"requires_tls,omitempty"`
}

// SortKey orders domains by id.
func (d ProtectedDomain) SortKey() string { return d.ID }

const permissionEmailSecurity = "Account: Cloud Email Security Read"

// numberOrText is an identifier that the provider returns as a number or a string.
type numberOrText string

// UnmarshalJSON keeps a number as written.
func (n *numberOrText) UnmarshalJSON(raw []byte) error {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		text = string(raw)
	}
	*n = numberOrText(text)
	return nil
}

type protectedDomainWire struct {
	ID            numberOrText `json:"id"`
	Domain        string       `json:"domain"`
	Status        string       `json:"status"`
	Authorization *struct {
		Authorized *bool `json:"authorized"`
	} `json:"authorization"`
	Modes      []string `json:"allowed_delivery_modes"`
	Drops      []string `json:"drop_dispositions"`
	RequireTLS *bool    `json:"require_tls_inbound"`
}

func reduceProtectedDomain(w protectedDomainWire) ProtectedDomain {
	d := ProtectedDomain{ID: string(w.ID), Domain: w.Domain, Status: w.Status,
		DeliveryModes: append([]string{}, slices.Sorted(slices.Values(w.Modes))...),
		Drops:         append([]string{}, slices.Sorted(slices.Values(w.Drops))...), RequiresTLSIn: w.RequireTLS}
	if w.Authorization != nil {
		d.Authorized = w.Authorization.Authorized
	}
	return d
}

// emailSecurityDomains lists the mail domains that are filtered
// (developers.cloudflare.com/api/resources/email_security/subresources/settings/subresources/domains/methods/list/).
func emailSecurityDomains() Source {
	return list(EmailSecurityDomains, Source{
		Path: "/accounts/{account_id}/email-security/settings/domains", Paging: Paging{Kind: ByPage, Size: 1000}, Volatile: true,
		Permission: permissionEmailSecurity,
		Example: `[{"id":2400,"domain":"acme.example","status":"active","authorization":{"authorized":true,"status_message":"drop",` +
			`"timestamp":"2026-01-01T00:00:00Z"},"allowed_delivery_modes":["DIRECT"],"drop_dispositions":["MALICIOUS"],"require_tls_inbound":true,` +
			`"transport":"drop.example","o365_tenant_id":"drop","integration_id":"drop","ip_restrictions":["192.0.2.0/24"],"lookback_hops":1}]`,
	}, reduceProtectedDomain)
}

// unfiltered skips the exceptions of an account that filters no mail.
func unfiltered() skipRule {
	return without(EmailSecurityDomains, "Email Security is not in use", "Email Security protects no domain")
}

// reducePattern keeps what a pattern is for; local parts are masked, and the text of an expression
// is discarded after it has been evaluated.
func reducePattern(pattern string, expression, domainsOnly bool) MailPattern {
	pattern = strings.TrimSpace(pattern)
	if expression {
		return MailPattern{Kind: mailauth.PatternExpression, Breadth: mailauth.ExpressionBreadth(pattern, domainsOnly)}
	}
	p := MailPattern{Kind: mailauth.PatternKind(pattern), Text: pattern}
	switch p.Kind {
	case mailauth.PatternAddress:
		p.Text, p.Domain = maskEmail(pattern)
	case mailauth.PatternDomain:
		p.Domain = strings.ToLower(strings.TrimPrefix(pattern, "@"))
	case mailauth.PatternUnclear:
		p.Text = ""
	}
	return p
}
