package cloudflare

import (
	"net/http"
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// refusal says what an unsuccessful answer means. A code is only meaningful together with the
// product and the status, so the first matching row decides. Zero and empty fields match
// everything.
type refusal struct {
	status, code int
	path         string // part of the path, which identifies the product
	message      string // part of the message, in lower case
	means        snapshot.Status
	source       string
}

// refusals is the table. A 403 without a row is denied, so that a missing permission is never
// attributed to the plan.
func refusals() []refusal {
	const facts, codes = "Cloudflare's published schema", "developers.cloudflare.com/fundamentals/api/troubleshooting/"
	return []refusal{
		{message: "does not support account owned tokens", means: snapshot.NeedsUserToken,
			source: "github.com/cloudflare/cloudflare-docs/issues/23256"},
		{status: 400, code: 1011, path: "/pagerules", means: snapshot.NeedsUserToken,
			source: "github.com/cloudflare/cloudflare-docs/issues/23256"},
		{status: 400, code: 1001, path: "/accounts", message: "list accounts", means: snapshot.NeedsUserToken,
			source: "github.com/edgefirst-dev/starter/issues/3"},
		{status: 404, code: 10001, path: "/firewall/access_rules/", means: snapshot.Absent,
			source: facts + ", firewallaccessrules.api.not_found"},
		{status: 404, code: 10000, path: "/registrar/", means: snapshot.Absent, source: facts + ", Domain not found"},
		{status: 403, code: 9999, path: "/access/", means: snapshot.NotEntitled, source: facts + ", access.api.error.not_enabled"},
		{status: 403, code: 10010, path: "/firewall/access_rules/", means: snapshot.NotEntitled,
			source: "github.com/xiaotianxt/bypass-cloudflare-for-github-action/issues/6"},
		{code: 10042, path: "/r2/", means: snapshot.NotEntitled, source: "developers.cloudflare.com/r2/api/error-codes/"},
		{status: 403, message: "entitle", means: snapshot.NotEntitled,
			source: "Cloudflare says so itself, as in firewallaccessrules.api.not_entitled"},
		{status: http.StatusUnauthorized, means: snapshot.Denied, source: codes},
		{code: 1000, means: snapshot.Denied, source: codes + " (Invalid API Token)"},
		{code: 6003, means: snapshot.Denied, source: codes + " (Invalid request headers)"},
		{code: 6111, means: snapshot.Denied, source: codes + " (Invalid format for Authorization header)"},
		{code: 9103, means: snapshot.Denied, source: codes + " (Unknown X-Auth-Key or X-Auth-Email)"},
		{code: 9106, means: snapshot.Denied, source: codes + " (Missing authorization headers)"},
		{code: 9109, means: snapshot.Denied, source: codes + " (Unauthorized to access requested resource)"},
		{code: 10000, means: snapshot.Denied, source: codes + " (Authentication error)"},
		{code: 10001, means: snapshot.Denied, source: codes + " (Unable to authenticate request)"},
		{status: http.StatusForbidden, means: snapshot.Denied, source: "403 without a row above, such as D1's 7403 (not authorised)"},
		{code: 7000, means: snapshot.Failed, source: codes + " (No route for that URI)"},
		{code: 7003, means: snapshot.Failed, source: codes + " (Could not route to the path)"},
		{status: http.StatusGone, means: snapshot.Failed, source: "RFC 9110, 15.5.11: the endpoint was retired"},
	}
}

// meaning returns the status of a refused read. A 404 with a product's code means that the object
// does not exist; one without a code does not say why.
func (e *APIError) meaning() snapshot.Status {
	for _, r := range refusals() {
		if (r.status == 0 || r.status == e.Status) && (r.code == 0 || r.code == e.Code) && strings.Contains(e.Path, r.path) &&
			strings.Contains(strings.ToLower(e.Message), r.message) {
			return r.means
		}
	}
	switch {
	case e.Status == http.StatusNotFound && e.Code == 0:
		return snapshot.Denied
	case e.Status == http.StatusNotFound:
		return snapshot.Absent
	default:
		return snapshot.Failed
	}
}
