package waf

import (
	"fmt"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// normalisedPaths judges whether rules see the path the origin sees.
func normalisedPaths() check.Check {
	return check.Check{
		ID: "CFL-WAF-020", Title: "Paths are normalised before rules run",
		Category: "waf", Severity: posture.Medium, Resource: posture.ResourceZone, Scope: check.PerZone, Served: true,
		Why: "One path can be written in many ways, such as /%61dmin for /admin. Without URL normalization a rule on a " +
			"path sees what the client wrote, while the origin decodes the path.",
		Fix: "Turn on URL normalization for incoming URLs, with the type Cloudflare.",
		Words: posture.Words{
			Problem:   "URL normalization is off on {zone}",
			Impact:    "Anyone can write a path in another way and pass the rules that protect that path.",
			Breaks:    "Workers and rules that depend on the raw form of a path may see another one.",
			Dashboard: "Rules › Settings › URL Normalization: type Cloudflare, Normalize incoming URLs On.",
			Call: posture.Call{Method: "PUT", Path: "/zones/{zone_id}/url_normalization", From: "/zones/{zone_id}/url_normalization",
				Body: `{type: "cloudflare", scope: (if .result.scope == "both" then "both" else "incoming" end)}`},
			Terraform: `resource "cloudflare_url_normalization_settings" "zone" {
  zone_id = "{zone_id}"
  type    = "cloudflare"
  scope   = "incoming"
}`},
		References: []string{"https://developers.cloudflare.com/rules/transform/", "Cloudflare docs: URL normalization"},
		Controls: check.Controls{
			check.Supports("cis 13.10", "Rules see the path the application will see."),
			check.Supports("soc2 CC6.6", "A rule cannot be avoided by another spelling."),
			check.Supports("pci 6.4.2", "Blocking works for other spellings of a path as well."),
			check.Supports("nist PR.IR-01", "Protection cannot be walked around by encoding."),
		},
		Remedy: &propose.Remedy{Operation: "PUT /zones/{zone_id}/url_normalization", Risk: "medium", Reversible: true,
			Body:    `{"type": "cloudflare", "scope": "incoming"}`,
			Inverse: "PUT the captured type and scope",
			Caution: "Applications that depend on raw paths may answer differently.",
			Propose: proposeNormalised},
		Needs:    []snapshot.Named{snapshot.ZoneURLNormalization, snapshot.ZoneDNSRecords, snapshot.ZoneList},
		Optional: traffic.ServedNeeds(),
		Evaluate: func(v *check.View) check.Outcome {
			n := check.Read(v, snapshot.ZoneURLNormalization)
			seen := check.Evidence(snapshot.ZoneURLNormalization, "/", fmt.Sprintf("type %q, scope %q", n.Type, n.Scope),
				`type "cloudflare", scope "incoming" or "both"`)
			switch {
			case n.Scope == "none":
				return v.Fail("URL normalization is off for "+v.Zone().Name+", so a path that is written in another way passes the rules for it.", seen)
			case n.Type == "rfc3986":
				return v.Warn("URL normalization of "+v.Zone().Name+" follows RFC 3986 only, which keeps backslashes and double slashes.", seen).
					As(posture.Words{Problem: "URL normalization of {zone} keeps backslashes and double slashes"})
			case n.Type == "cloudflare" && (n.Scope == "incoming" || n.Scope == "both"):
				return v.Pass("Paths are normalised before rules run.")
			}
			return v.Unknown("the normalisation has a value this check does not know: " + n.Type + ", " + n.Scope)
		},
	}
}

func normalisedPathsExamples() []goodtest.Example {
	with := func(kind, scope string) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.ZoneURLNormalization, goodtest.Zone, snapshot.URLNormalization{Type: kind, Scope: scope})
		}
	}
	return []goodtest.Example{
		{Name: "incoming", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "both", Want: posture.Pass, Edit: with("cloudflare", "both")},
		{Name: "none", Want: posture.Fail, Resource: goodtest.Zone, Edit: with("cloudflare", "none")},
		{Name: "rfc3986", Want: posture.Warning, Resource: goodtest.Zone, Edit: with("rfc3986", "incoming")},
		{Name: "rfc3986, none", Want: posture.Fail, Edit: with("rfc3986", "none")},
		{Name: "nothing returned", Want: posture.Unknown, Edit: with("", "")},
		{Name: "no proxied record", Want: posture.NotApplicable, Edit: goodtest.Edits(with("cloudflare", "none"), goodtest.NotProxied())},
	}
}

// proposeNormalised enables Cloudflare's normalisation of incoming paths; a zone that also
// normalises the paths sent to the origin keeps that.
func proposeNormalised(c *propose.Case) ([]change.Edit, error) {
	place, live, err := c.At("/zones/{zone_id}/url_normalization")
	if err != nil {
		return nil, err
	}
	scope := propose.Text(live, "scope")
	if scope != "both" {
		scope = "incoming"
	}
	want := map[string]any{"type": "cloudflare", "scope": scope}
	if live == nil || change.Holds(live, want) {
		return nil, nil
	}
	return []change.Edit{propose.Patch("PUT", place, place.Path, live, want)}, nil
}
