package snapshot

// EmailSecurityTrusted holds the domains that are not reported for being new or similar to another.
const EmailSecurityTrusted Key[[]TrustedDomain] = "account/email_security_trusted"

// TrustedDomain is not reported for being new or similar to another.
type TrustedDomain struct {
	ID      string      `json:"id"`
	Pattern MailPattern `json:"pattern"`
}

// SortKey orders trusted domains by id.
func (d TrustedDomain) SortKey() string { return d.ID }

type trustedDomainWire struct {
	ID         numberOrText `json:"id"`
	Pattern    string       `json:"pattern"`
	Expression bool         `json:"is_regex"`
}

// emailSecurityTrusted lists the domains that are not reported for being new or
// similar to another
// (developers.cloudflare.com/api/resources/email_security/subresources/settings/subresources/trusted_domains/methods/list/).
func emailSecurityTrusted() Source {
	return list(EmailSecurityTrusted, Source{
		Path: "/accounts/{account_id}/email-security/settings/trusted_domains", Paging: Paging{Kind: ByPage, Size: 1000},
		Permission: permissionEmailSecurity,
		After:      []string{EmailSecurityDomains.Source()}, Skip: unfiltered(),
		Example: `[{"id":2403,"pattern":"acme.example","is_regex":false,"is_recent":true,"is_similarity":false,"comments":"drop"}]`,
	}, func(w trustedDomainWire) TrustedDomain {
		return TrustedDomain{ID: string(w.ID), Pattern: reducePattern(w.Pattern, w.Expression, true)}
	})
}
