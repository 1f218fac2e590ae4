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

// claim is what a request header tells the origin about whoever sent the request.
type claim int

const (
	noClaim  claim = iota
	address        // where the visitor comes from
	identity       // who the visitor is, or what was checked about the visitor
)

// claimOf reads the name of a header. Credentials are no claims: the origin checks them.
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

// forged names what a visitor writes among that which a header is computed from, "" when there is nothing. The origin knows the last
// address of x-forwarded-for only by its place, so that it counts.
func forged(v *check.View, op snapshot.HeaderOp) (what string, known bool) {
	if !op.Dynamic {
		return "", true
	}
	if op.Reads == "" {
		return "", false // read before what it is made of was kept
	}
	known = true
	for read := range strings.FieldsSeq(op.Reads) {
		read = strings.TrimPrefix(read, "raw.")
		header, ofHeader := strings.CutPrefix(read, "http.request.headers[")
		header = strings.TrimSuffix(header, "]")
		switch {
		case strings.HasPrefix(read, "is_timed_hmac_valid"):
			return "", true // what a secret vouches for
		case ofHeader && slices.Contains([]string{"cf-connecting-ip", "cf-ray", "cf-visitor"}, header):
		case ofHeader && header == "true-client-ip" && v.Zone().Plan == "enterprise":
			known = false // a managed transform of that plan writes it, which would cost the core profile one request for each zone
		case ofHeader:
			what = "the request header " + header
		case written(read):
			what = read
		}
	}
	return what, known
}

// written reports whether visitors choose the value of a field. Claims of a token are those that Cloudflare verified
// (developers.cloudflare.com/api-shield/security/jwt-validation/transform-rules/).
func written(field string) bool {
	return !strings.HasPrefix(field, "http.request.jwt") && slices.ContainsFunc([]string{"http.request.headers", "http.request.cookies",
		"http.request.uri", "http.request.full_uri", "http.request.body", "http.request.accepted_languages", "http.cookie", "http.user_agent",
		"http.referer", "http.x_forwarded_for"}, func(p string) bool { return strings.HasPrefix(field, p) })
}

// picked reports whether a condition admits some senders only: named addresses, certificates, tokens or bots that Cloudflare checked.
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
			return !negated && slices.ContainsFunc(expression.Fields(e), func(f string) bool {
				return f == "ip.src" || f == "cf.tls_client_auth.cert_verified" || f == "cf.client.bot" ||
					f == "cf.bot_management.verified_bot" || strings.HasPrefix(f, "http.request.jwt")
			})
		},
		And: each(true), Or: func(terms ...bool) bool { return !slices.Contains(terms, false) },
	})
}

// requestPhase is where request header rules are written.
const requestPhase = "/zones/{zone_id}/rulesets/phases/http_request_late_transform/entrypoint"

// ignored is the call that makes a rule remove headers, given as texts of jq, which it set.
func ignored(names []string) posture.Call {
	return posture.Call{Method: "PUT", Path: requestPhase, From: requestPhase,
		Body: `{rules: (.result.rules | map(if .id == "{id}" then .action_parameters.headers |= with_entries(if (.key | ascii_downcase | IN(` +
			strings.Join(names, ", ") + `)) then .value = {operation: "remove"} else . end) else . end))}`}
}

// sentLanes follows a request header where a rule is about it.
func sentLanes(v *check.View, header string, r snapshot.Rule) []traffic.Lane[traffic.Value[snapshot.HeaderOp]] {
	return check.Lanes(v, traffic.RequestHeaderWhere(header, r.Expression), v.Zone())
}
