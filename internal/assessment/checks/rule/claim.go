package rule

import (
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/expression"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// claim is what a request header tells the origin about the sender of the request.
type claim int

const (
	noClaim  claim = iota
	address        // the visitor's address or location
	identity       // who the visitor is, or what was verified about the visitor
)

// claimOf classifies a header by its name. Credentials are not claims, because the origin verifies
// them.
func claimOf(header string) claim {
	header = strings.ToLower(header)
	if strings.ContainsFunc(header, func(r rune) bool { return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789-_", r) }) {
		return noClaim // a rule cannot set it (/rules/transform/request-header-modification/reference/header-format/)
	}
	words := strings.FieldsFunc(header, func(r rune) bool { return r == '-' || r == '_' })
	has := func(any ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(any, strings.TrimRight(w, "0123456789")) })
	}
	switch {
	case has("token", "jwt", "key", "apikey", "secret", "signature", "sig", "hmac", "hash", "authorization", "password", "csrf", "xsrf",
		"nonce", "assertion", "bearer", "cookie", "agent", "host", "proto", "scheme", "port", "uri", "url", "path", "method"):
		return noClaim
	case has("user", "username", "userid", "uid", "email", "mail", "upn", "subject", "sub", "principal", "identity", "login", "account",
		"customer", "tenant", "role", "roles", "group", "groups", "scope", "scopes", "permission", "permissions", "admin", "employee", "staff",
		"internal", "trusted", "verified", "verify", "authenticated", "authorized", "allowed", "cert", "certificate", "mtls", "sso", "saml",
		"oidc", "bot"):
		return identity
	case has("ip", "ipv", "addr", "address", "forwarded", "client", "country", "asn"):
		return address
	}
	return noClaim
}

// forged names an input of a header's value that the visitor controls, "" when there is none. The
// origin identifies the last address of x-forwarded-for only by its position, so that header
// counts.
func forged(v *check.View, op snapshot.HeaderOp) (what string, known bool) {
	if !op.Dynamic {
		return "", true
	}
	if op.Reads == "" {
		return "", false // the section was read before inputs were stored
	}
	known = true
	for read := range strings.FieldsSeq(op.Reads) {
		read = strings.TrimPrefix(read, "raw.")
		header, ofHeader := strings.CutPrefix(read, "http.request.headers[")
		header = strings.TrimSuffix(header, "]")
		switch {
		case strings.HasPrefix(read, "is_timed_hmac_valid"):
			return "", true // verified with a secret
		case ofHeader && slices.Contains([]string{"cf-connecting-ip", "cf-ray", "cf-visitor"}, header):
		case ofHeader && header == "true-client-ip" && v.Zone().Plan == "enterprise":
			known = false // a managed transform of that plan sets it; reading that would cost the core profile one request per zone
		case ofHeader:
			what = "the request header " + header
		case written(read):
			what = read
		}
	}
	return what, known
}

// written reports whether visitors choose the value of a field. Token claims are those that
// Cloudflare verified
// (developers.cloudflare.com/api-shield/security/jwt-validation/transform-rules/).
func written(field string) bool {
	return !strings.HasPrefix(field, "http.request.jwt") && slices.ContainsFunc([]string{"http.request.headers", "http.request.cookies",
		"http.request.uri", "http.request.full_uri", "http.request.body", "http.request.accepted_languages", "http.cookie", "http.user_agent",
		"http.referer", "http.x_forwarded_for"}, func(p string) bool { return strings.HasPrefix(field, p) })
}

// picked reports whether a condition admits only certain senders: specific addresses, certificates,
// tokens or bots verified by Cloudflare.
func picked(condition string) bool {
	e, err := expression.Parse(condition)
	if err != nil {
		return false
	}
	each := func(want bool) func(...bool) bool {
		return func(terms ...bool) bool { return slices.Contains(terms, want) == want }
	}
	return expression.Fold(e, expression.Algebra[bool]{
		Leaf: func(e expression.Expr, negated bool) bool {
			e, negated = expression.Positive(e, negated)
			return !negated && slices.ContainsFunc(expression.Fields(e), func(f string) bool {
				return f == "ip.src" || f == "cf.tls_client_auth.cert_verified" || f == "cf.client.bot" ||
					f == "cf.bot_management.verified_bot" || strings.HasPrefix(f, "http.request.jwt")
			})
		},
		And: each(true), Or: func(terms ...bool) bool { return !slices.Contains(terms, false) },
	})
}

// requestPhase is the API path of the request header rules.
const requestPhase = "/zones/{zone_id}/rulesets/phases/http_request_late_transform/entrypoint"

// ignored returns the call that makes a rule remove headers that it set; names are jq strings.
func ignored(names []string) posture.Call {
	return posture.Call{Method: "PUT", Path: requestPhase, From: requestPhase,
		Body: `{rules: (.result.rules | map(if .id == "{id}" then .action_parameters.headers |= with_entries(if (.key | ascii_downcase | IN(` +
			strings.Join(names, ", ") + `)) then .value = {operation: "remove"} else . end) else . end))}`}
}

// instead says where a rule stands that removes what an old one set.
const instead = "this one takes the place of the one of its name"

// removedHeaders is the Terraform of a rule that removes headers, whose quoted names are given, from every request.
func removedHeaders(place, description string, names []string) string {
	return `# The resource holds all rules of the phase; ` + place + `.
resource "cloudflare_ruleset" "request_headers" {
  zone_id = "{zone_id}"
  name    = "default"
  kind    = "zone"
  phase   = "http_request_late_transform"
  rules = [{
    action      = "rewrite"
    expression  = "true"
    description = "` + description + `"
    action_parameters = {
      headers = { ` + strings.Join(names, ` = { operation = "remove" }, `) + ` = { operation = "remove" } }
    }
  }]
}`
}

// sentLanes follows a request header at the places a rule is about.
func sentLanes(v *check.View, header string, r snapshot.Rule) []traffic.Lane[traffic.Value[snapshot.HeaderOp]] {
	return check.Lanes(v, traffic.RequestHeaderWhere(header, r.Expression), v.Zone())
}
