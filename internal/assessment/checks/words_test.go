package checks

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// TestNewApplicationsPassTheCheckOfCookies: closing one finding does not open CFL-ZT-014.
func TestNewApplicationsPassTheCheckOfCookies(t *testing.T) {
	for _, c := range All() {
		if w := c.Words; strings.HasSuffix(w.Call.Path, "/access/apps") {
			require.Contains(t, w.Call.Body, "same_site_cookie_attribute", c.ID)
			require.Contains(t, w.Terraform, "same_site_cookie_attribute", c.ID)
		}
	}
}

// TestTerraformKeepsWhatIsThere: a block that has all members of something keeps those that are right, and a verdict that a block
// cannot close has none.
func TestTerraformKeepsWhatIsThere(t *testing.T) {
	header := func(age int, subdomains, preload bool) func(*snapshot.Builder) {
		return goodtest.Setting("security_header", map[string]snapshot.HSTS{"strict_transport_security": {Enabled: true, MaxAge: age,
			IncludeSubdomains: subdomains, Preload: preload}})
	}
	custom := func(change func(*snapshot.DeviceProfile)) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.DevicePolicies, goodtest.Account, func(ps *[]snapshot.DeviceProfile) { change(&(*ps)[0]) })
		}
	}
	request := func(header, reads string) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.ZonePhaseRequest, goodtest.Zone, snapshot.Ruleset{ID: "s", Kind: "zone", Rules: []snapshot.Rule{{ID: "q",
				Enabled: true, Action: "rewrite", Expression: map[bool]string{true: "cf.tls_client_auth.cert_verified", false: "true"}[reads == ""],
				Params: snapshot.RuleParams{Headers: map[string]snapshot.HeaderOp{header: {Operation: "set", Plain: reads == "",
					Dynamic: reads != "", Reads: reads}}}}}})
		}
	}
	anyOrigin := func(credentials bool) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.AccessApps, goodtest.Account, func(all *[]snapshot.AccessApp) {
				(*all)[0].CORS = &snapshot.AccessCORS{AllowAllOrigins: true, AllowCredentials: credentials}
			})
		}
	}
	block := func(age int, subdomains, preload bool) string {
		return fmt.Sprintf("max_age            = %d\n      include_subdomains = %t\n      preload            = %t", age, subdomains, preload)
	}
	day, on := 86400.0, true
	for _, c := range []struct {
		id   string
		edit func(*snapshot.Builder)
		want string // a part of the Terraform, "" when there must be none
	}{
		{"CFL-SSL-004", header(86400, true, true), block(15552000, true, true)},
		{"CFL-SSL-009", header(86400, true, false), block(31536000, true, false)},
		{"CFL-SSL-017", header(63072000, false, true), block(63072000, true, true)},
		{"CFL-SSL-018", header(63072000, true, false), block(63072000, true, true)},
		{"CFL-DNS-002", goodtest.AddRecord(snapshot.DNSRecord{ID: "d1", Name: "old." + goodtest.Domain, Type: "AAAA", Content: "2a01:4f8::1",
			Proxiable: true}), `type    = "AAAA"`},
		{"CFL-TXRULE-003", request("x-role", "http.request.headers[x-user]"), `headers = { "x-role" = { operation = "remove" } }`},
		{"CFL-TXRULE-004", request("x-internal", ""), `headers = { "x-internal" = { operation = "remove" } }`},
		{"CFL-ZT-017", anyOrigin(true), "allow_credentials = true"},
		{"CFL-ZT-017", anyOrigin(false), "allow_credentials = false"},
		{"CFL-DEVICE-007", custom(func(p *snapshot.DeviceProfile) { p.ModeSwitch = &on }), ""},
		{"CFL-DEVICE-008", custom(func(p *snapshot.DeviceProfile) { p.CaptivePortal = &day }), ""},
		{"CFL-DEVICE-009", custom(func(p *snapshot.DeviceProfile) { p.Exclude = []string{"0.0.0.0/1"} }), ""},
		{"CFL-DEVICE-010", custom(func(p *snapshot.DeviceProfile) { p.Fallback = []string{"com"} }), ""},
	} {
		b := goodtest.Snapshot()
		c.edit(b)
		s, err := b.Build()
		require.NoError(t, err)
		said := 0
		for _, of := range All() {
			if of.ID != c.id {
				continue
			}
			for _, f := range check.Run(s, []check.Check{of}, policy.Default()).Findings {
				if f.Result != posture.Fail && f.Result != posture.Warning {
					continue
				}
				said++
				require.Contains(t, f.Words.Terraform, c.want, c.id)
				require.Equal(t, c.want == "", f.Words.Terraform == "", c.id)
			}
		}
		require.Equal(t, 1, said, c.id)
	}
}
