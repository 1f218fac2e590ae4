package snapshot

// EmailSecurityAllow holds the policies that allow mail past the filter.
const EmailSecurityAllow Key[[]AllowPolicy] = "account/email_security_allow"

// MailPattern says which senders or domains an exception is for. Kind and Breadth are those of
// package mailauth; the text of an expression is not kept.
type MailPattern struct {
	Kind    string `json:"kind"`
	Text    string `json:"text,omitempty"`    // local parts are masked
	Domain  string `json:"domain,omitempty"`  // of a domain or an address
	Breadth string `json:"breadth,omitempty"` // of an expression
}

// AllowPolicy allows mail past the filter. A nil switch was not returned. OnlyAccepts says that
// mail is not treated as spam, bulk or spoof but is still scanned for malicious content; every
// other policy lets mail past all detections.
type AllowPolicy struct {
	ID              string      `json:"id"`
	Pattern         MailPattern `json:"pattern"`
	VerifySender    *bool       `json:"verify_sender,omitempty"`
	ExemptRecipient bool        `json:"is_exempt_recipient,omitempty"`
	OnlyAccepts     bool        `json:"only_accepts,omitempty"`
}

// SortKey orders policies by id.
func (p AllowPolicy) SortKey() string { return p.ID }

type allowPolicyWire struct {
	ID              numberOrText `json:"id"`
	Pattern         string       `json:"pattern"`
	Expression      bool         `json:"is_regex"`
	VerifySender    *bool        `json:"verify_sender"`
	ExemptRecipient bool         `json:"is_exempt_recipient"`
	Trusted         bool         `json:"is_trusted_sender"`
	Acceptable      bool         `json:"is_acceptable_sender"`
	// The older names of these three members.
	Recipient bool `json:"is_recipient"`
	Sender    bool `json:"is_sender"`
	Spoof     bool `json:"is_spoof"`
}

// emailSecurityAllow lists the policies that allow mail past the filter
// (developers.cloudflare.com/api/resources/email_security/subresources/settings/subresources/allow_policies/methods/list/).
func emailSecurityAllow() Source {
	return list(EmailSecurityAllow, Source{
		Path: "/accounts/{account_id}/email-security/settings/allow_policies", Paging: Paging{Kind: ByPage, Size: 1000},
		Permission: permissionEmailSecurity,
		After:      []string{EmailSecurityDomains.Source()}, Skip: unfiltered(),
		Example: `[{"id":2401,"pattern":"drop@acme.example","pattern_type":"EMAIL","is_regex":false,"is_trusted_sender":true,` +
			`"is_acceptable_sender":false,"is_exempt_recipient":false,"verify_sender":true,"comments":"drop"},{"id":2402,"pattern":"drop.*@acme",` +
			`"is_regex":true}]`,
	}, func(w allowPolicyWire) AllowPolicy {
		exempt, trusted := w.ExemptRecipient || w.Recipient, w.Trusted || w.Sender
		return AllowPolicy{ID: string(w.ID), Pattern: reducePattern(w.Pattern, w.Expression, false), VerifySender: w.VerifySender,
			ExemptRecipient: exempt, OnlyAccepts: (w.Acceptable || w.Spoof) && !exempt && !trusted}
	})
}
