package snapshot

import "strings"

// Mail sources. Email Security is of the account, the others are of a zone.
const (
	ZoneEmailRouting       Key[EmailRouting]      = "zone/email_routing"
	ZoneEmailCatchAll      Key[CatchAll]          = "zone/email_catch_all"
	ZoneSPFInspect         Key[SPFInspection]     = "zone/spf_inspect"
	EmailSecurityDomains   Key[[]ProtectedDomain] = "account/email_security_domains"
	EmailSecurityAllow     Key[[]AllowPolicy]     = "account/email_security_allow"
	EmailSecurityTrusted   Key[[]TrustedDomain]   = "account/email_security_trusted"
	emailRoutingMailDomain                        = ".mx.cloudflare.net"
)

// EmailRouting tells whether the provider receives the mail of a zone. A nil
// switch was not told.
type EmailRouting struct {
	Enabled *bool  `json:"enabled,omitempty"`
	Status  string `json:"status,omitempty"`
}

// RoutedMail reports whether a record hands mail to Email Routing.
func (r DNSRecord) RoutedMail() bool {
	return r.Type == "MX" && strings.HasSuffix(strings.ToLower(strings.TrimSuffix(r.Content, ".")), emailRoutingMailDomain)
}

// ReceivesMail reports whether a record names a mail host; a null MX (RFC 7505)
// does not.
func (r DNSRecord) ReceivesMail() bool {
	return r.Type == "MX" && strings.TrimSpace(r.Content) != "."
}

// CatchAll is what happens to mail for addresses nobody created. A nil switch
// was not told.
type CatchAll struct {
	Enabled *bool         `json:"enabled,omitempty"`
	Actions []MailForward `json:"actions"`
}

// MailForward is one action; of addresses only the domains are kept.
type MailForward struct {
	Type    string   `json:"type"`
	Domains []string `json:"domains,omitempty"`
}

// SPFInspection is what the provider found when it followed an SPF record.
type SPFInspection struct {
	TotalLookups *int     `json:"total_lookups,omitempty"`
	Errors       []string `json:"errors,omitempty"` // codes
}

// ProtectedDomain is a mail domain whose mail is filtered. Nil stands for a null
// or absent field.
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

// MailPattern says whom an exception is for. Kind and Breadth are those of
// package mailauth; the text of an expression is not kept.
type MailPattern struct {
	Kind    string `json:"kind"`
	Text    string `json:"text,omitempty"`    // local parts are masked
	Domain  string `json:"domain,omitempty"`  // of a domain or an address
	Breadth string `json:"breadth,omitempty"` // of an expression
}

// AllowPolicy lets mail pass the filter. A nil switch was not told.
type AllowPolicy struct {
	ID              string      `json:"id"`
	Pattern         MailPattern `json:"pattern"`
	VerifySender    *bool       `json:"verify_sender,omitempty"`
	ExemptRecipient bool        `json:"is_exempt_recipient,omitempty"`
}

// SortKey orders policies by id.
func (p AllowPolicy) SortKey() string { return p.ID }

// TrustedDomain is not reported for being new or similar to another.
type TrustedDomain struct {
	ID      string      `json:"id"`
	Pattern MailPattern `json:"pattern"`
}

// SortKey orders trusted domains by id.
func (d TrustedDomain) SortKey() string { return d.ID }
