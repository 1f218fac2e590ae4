package snapshot

type allowPolicyWire struct {
	ID              numberOrText `json:"id"`
	Pattern         string       `json:"pattern"`
	Expression      bool         `json:"is_regex"`
	VerifySender    *bool        `json:"verify_sender"`
	ExemptRecipient bool         `json:"is_exempt_recipient"`
}

// emailSecurityAllow lists the policies that let mail pass the filter
// (developers.cloudflare.com/api/resources/email_security/subresources/settings/subresources/allow_policies/methods/list/).
func emailSecurityAllow() Source {
	return list(EmailSecurityAllow, Source{
		Path: "/accounts/{account_id}/email-security/settings/allow_policies", Paging: Paging{Kind: ByPage, Size: 1000},
		Permission: permissionEmailSecurity,
		After:      []string{EmailSecurityDomains.Source()}, Skip: unfiltered,
		Example: `[{"id":2401,"pattern":"drop@acme.example","pattern_type":"EMAIL","is_regex":false,"is_trusted_sender":true,` +
			`"is_acceptable_sender":false,"is_exempt_recipient":false,"verify_sender":true,"comments":"drop"},{"id":2402,"pattern":"drop.*@acme",` +
			`"is_regex":true}]`,
	}, func(w allowPolicyWire) AllowPolicy {
		return AllowPolicy{ID: string(w.ID), Pattern: reducePattern(w.Pattern, w.Expression, false), VerifySender: w.VerifySender,
			ExemptRecipient: w.ExemptRecipient}
	})
}
