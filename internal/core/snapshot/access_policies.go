package snapshot

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// AccessPolicies holds the reusable policies.
const AccessPolicies Key[[]AccessPolicy] = "account/access_policies"

// AccessPolicy decides who is admitted.
type AccessPolicy struct {
	ID              string       `json:"id"`
	Name            string       `json:"name"`
	Decision        string       `json:"decision"`
	Include         []AccessRule `json:"include"`
	Require         []AccessRule `json:"require"`
	Exclude         []AccessRule `json:"exclude"`
	SessionDuration string       `json:"session_duration,omitempty"`
	MFA             *AccessMFA   `json:"mfa_config,omitempty"`
	// Approval says that each access must be approved by one of several people.
	Approval bool `json:"approval_required,omitempty"`
	// Usernames are the server accounts that users of an infrastructure application may log in as.
	Usernames []string `json:"ssh_usernames,omitempty"`
	// MailName says that users may log in as the local part of their mail address.
	MailName bool `json:"ssh_email_alias,omitempty"`
}

// SortKey orders policies by id.
func (p AccessPolicy) SortKey() string { return p.ID }

// AccessRule is one selector: Kind is the provider's name for it (everyone, email, email_domain,
// ip, group, any_valid_service_token, geo, …), Value what it selects; the local part of an e-mail
// address is masked. Mark tells rules apart whose value is not kept, or not as a whole: a hash of
// the rule, empty for one that names a mail address.
type AccessRule struct {
	Kind  string `json:"kind"`
	Value string `json:"value,omitempty"`
	Mark  string `json:"mark,omitempty"`
}

type accessPolicyWire struct {
	ID              string                       `json:"id"`
	Name            string                       `json:"name"`
	Decision        string                       `json:"decision"`
	Include         []map[string]json.RawMessage `json:"include"`
	Require         []map[string]json.RawMessage `json:"require"`
	Exclude         []map[string]json.RawMessage `json:"exclude"`
	SessionDuration string                       `json:"session_duration"`
	MFA             *accessMFAWire               `json:"mfa_config"`
	Approval        bool                         `json:"approval_required"`
}

func reduceAccessPolicy(w accessPolicyWire) AccessPolicy {
	return AccessPolicy{ID: w.ID, Name: w.Name, Decision: w.Decision, Include: reduceAccessRules(w.Include),
		Require: reduceAccessRules(w.Require), Exclude: reduceAccessRules(w.Exclude), SessionDuration: w.SessionDuration,
		MFA: w.MFA.reduced(), Approval: w.Approval}
}

// reduceAccessRules keeps the kind of each selector and the value it selects by; the local part of
// an e-mail address is masked.
func reduceAccessRules(in []map[string]json.RawMessage) []AccessRule {
	out := []AccessRule{}
	for _, m := range in {
		for _, kind := range slices.Sorted(maps.Keys(m)) {
			if string(m[kind]) != "null" {
				out = append(out, reduceAccessRule(kind, m[kind]))
			}
		}
	}
	return out
}

func reduceAccessRule(kind string, raw json.RawMessage) AccessRule {
	r := AccessRule{Kind: kind, Value: selected(raw)}
	switch kind {
	case "user_risk_score":
		var w struct {
			Levels []string `json:"user_risk_score"`
		}
		if json.Unmarshal(raw, &w) == nil {
			slices.Sort(w.Levels)
			r.Value = strings.Join(slices.Compact(w.Levels), ",")
		}
	case "github-organization":
		var w struct {
			Team numberOrText `json:"team"`
		}
		if r.Mark = hashed(raw); json.Unmarshal(raw, &w) == nil && w.Team != "" {
			r.Value += "/" + string(w.Team)
		}
	default:
		if r.Value == "" {
			r.Mark = hashed(raw)
		}
	}
	return r
}

// hashed returns a hash of what a rule names, "" for nothing or a mail address.
func hashed(raw json.RawMessage) string {
	var fields map[string]numberOrText
	if json.Unmarshal(raw, &fields) != nil {
		return ""
	}
	text := ""
	for _, name := range []string{"attribute_name", "attribute_value", "claim_name", "claim_value", "evaluate_url", "keys_url", "name", "team",
		"identity_provider_id"} {
		if v := string(fields[name]); v != "" {
			text += name + "=" + v + "\n"
		}
	}
	if text == "" || strings.Contains(text, "@") {
		return ""
	}
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

func selected(raw json.RawMessage) string {
	var fields map[string]numberOrText
	if json.Unmarshal(raw, &fields) != nil {
		return ""
	}
	for _, name := range []string{"domain", "email", "ip", "id", "country_code", "token_id", "common_name", "list_id", "name",
		"integration_uid", "auth_method", "app_uid", "account_id"} {
		v := string(fields[name])
		if name == "email" && v != "" { // of a person, or of a Google Workspace group
			v, _ = maskEmail(v)
		}
		if v != "" {
			return v
		}
	}
	return ""
}

// accessPolicies lists the reusable policies
// (developers.cloudflare.com/api/resources/zero_trust/subresources/access/subresources/policies/methods/list/).
func accessPolicies() Source {
	return list(AccessPolicies, Source{
		Path: "/accounts/{account_id}/access/policies", Paging: Paging{Kind: ByPage, Size: 100}, Permission: permissionAccessApps, Feeds: true,
		After: []string{AccessOrg.Source()}, Skip: accessUnused(),
		Example: `[{"id":"p1","name":"staff","decision":"allow","include":[{"email":{"email":"ann@acme.example"}},{"everyone":{}},` +
			`{"saml":{"attribute_name":"group","attribute_value":"drop"}}],` +
			`"require":[{"user_risk_score":{"user_risk_score":["low"]}}],"exclude":[],"reusable":true,"app_count":2}]`,
	}, reduceAccessPolicy)
}
