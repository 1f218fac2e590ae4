package storage

import (
	"cmp"
	"encoding/json"
	"net/url"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// oldTLS judges the minimum protocol of a bucket's hostnames. Without a minimum of its own a
// hostname accepts TLS 1.0, whatever its zone requires
// (developers.cloudflare.com/api/resources/r2/subresources/buckets/subresources/domains/).
func oldTLS() check.Check {
	return check.Check{
		ID: "CFL-R2-007", Title: "Bucket domains refuse old TLS",
		Category: "r2", Severity: posture.Medium, Resource: posture.ResourceBucket, Scope: check.PerBucket,
		Why: "A custom domain of an R2 bucket has a minimum TLS version of its own, which is 1.0 when none is set. " +
			"The minimum of the zone does not count.",
		Fix: "Set the minimum TLS version of each custom domain of the bucket to 1.2.",
		Words: posture.Words{
			Problem: "Custom domains of bucket {name} accept old TLS",
			Impact: "Someone in the network between a client and Cloudflare can attack a connection with the weak ciphers of " +
				"TLS 1.0 and 1.1.",
			Breaks:    "Clients that know no TLS 1.2, such as download tools from before 2013, can no longer connect.",
			Dashboard: "R2 object storage › {name} › Settings › Custom Domains › the domain › Edit › Minimum TLS: 1.2.",
			Terraform: `resource "cloudflare_r2_custom_domain" "files" {
  account_id  = "{account_id}"
  bucket_name = "{name}"
  domain      = var.hostname
  zone_id     = var.zone_id
  enabled     = true
  min_tls     = "1.2"
}`},
		References: []string{"https://developers.cloudflare.com/r2/", "https://developers.cloudflare.com/ssl/reference/protocols/"},
		Controls: check.Controls{
			check.Supports("cis 12.6", "Domains of buckets accept current TLS only."),
			check.Supports("soc2 CC6.7", "Objects are encrypted by current means when they are fetched."),
			check.Supports("pci 4.2.1", "Weak protocol versions are refused on domains of buckets."),
			check.Supports("nist PR.DS-02", "Objects are protected on the wire."),
		},
		Aliases: []string{"union:r2-min-tls"},
		Paths:   []string{"weak-transport"},
		Remedy: &propose.Remedy{Operation: "PUT /accounts/{account_id}/r2/buckets/{bucket_name}/domains/custom/{domain}", Risk: "low",
			Reversible: true, Body: `{"minTLS": "1.2", "enabled": <captured>}`,
			Inverse: "PUT the captured minTLS",
			Caution: "Old download clients lose access.",
			Propose: proposeTLS},
		Needs:    []snapshot.Named{snapshot.R2Buckets, snapshot.R2CustomDomains},
		Evaluate: evaluateOldTLS,
	}
}

func oldTLSExamples() []goodtest.Example {
	at := func(min string) func(*snapshot.Builder) {
		return put(snapshot.R2CustomDomains, goodtest.Bucket, []snapshot.R2Domain{
			{Domain: "files." + goodtest.Domain, Enabled: true, MinTLS: "1.3", ZoneID: goodtest.Zone},
			{Domain: "old." + goodtest.Domain, Enabled: true, MinTLS: min, ZoneID: goodtest.Zone}})
	}
	zone := func(min string) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.ZoneSettings, goodtest.Zone, func(s *snapshot.Settings) { *s = s.With("min_tls_version", min) })
		}
	}
	return []goodtest.Example{
		{Name: "1.2", Want: posture.Pass, Resource: goodtest.Bucket, Edit: at("1.2")},
		{Name: "1.0", Want: posture.Fail, Resource: goodtest.Bucket, Edit: at("1.0")},
		{Name: "1.1", Want: posture.Fail, Edit: at("1.1")},
		{Name: "1.1 on a disabled domain", Want: posture.NotApplicable,
			Edit: put(snapshot.R2CustomDomains, goodtest.Bucket, []snapshot.R2Domain{{Domain: "files." + goodtest.Domain, MinTLS: "1.1"}})},
		{Name: "1.1 on a domain that was deactivated", Want: posture.NotApplicable, Edit: put(snapshot.R2CustomDomains, goodtest.Bucket,
			[]snapshot.R2Domain{{Domain: "files." + goodtest.Domain, Enabled: true, MinTLS: "1.1", Status: "deactivated"}})},
		{Name: "1.3 on each", Want: posture.Pass, Edit: at("1.3")},
		{Name: "none, and the zone accepts 1.0", Want: posture.Fail, Edit: goodtest.Edits(at(""), zone("1.0"))},
		{Name: "none, and the zone demands 1.2", Want: posture.Fail, Resource: goodtest.Bucket, Edit: at("")},
		{Name: "none, and the zone was not read", Want: posture.Fail, Edit: goodtest.Edits(at(""), func(b *snapshot.Builder) {
			b.Mark(snapshot.ZoneSettings.Source(), snapshot.Denied, "Zone Settings Read", "")
		})},
		{Name: "1.2, and the zone accepts 1.0", Want: posture.Pass, Edit: goodtest.Edits(at("1.2"), zone("1.0"))},
		{Name: "1.0, and the zone was not read", Want: posture.Fail, Edit: goodtest.Edits(at("1.0"), func(b *snapshot.Builder) {
			b.Mark(snapshot.ZoneSettings.Source(), snapshot.Denied, "Zone Settings Read", "")
		})},
		{Name: "a value nobody knows", Want: posture.Unknown, Edit: at("2.0")},
		{Name: "no domain", Want: posture.NotApplicable, Edit: put(snapshot.R2CustomDomains, goodtest.Bucket, []snapshot.R2Domain{})},
		{Name: "no bucket", Want: posture.NotApplicable, Edit: noBucket},
	}
}

func weak(version string) bool { return version == "1.0" || version == "1.1" }

func evaluateOldTLS(v *check.View) check.Outcome {
	judged, odd := 0, ""
	var old []string
	var seen []posture.Evidence
	for _, d := range check.Read(v, snapshot.R2CustomDomains) {
		if !d.Serves() {
			continue
		}
		judged++
		switch least := cmp.Or(d.MinTLS, "1.0, as none is set"); {
		case d.MinTLS == "1.2" || d.MinTLS == "1.3":
		case d.MinTLS == "" || weak(d.MinTLS):
			old = append(old, d.Domain)
			seen = append(seen, check.Evidence(snapshot.R2CustomDomains, "/"+d.Domain+"/minTLS", least, "1.2 or 1.3"))
		default:
			odd = d.Domain
		}
	}
	switch {
	case judged == 0:
		return v.NotApplicable("the bucket has no enabled custom domain")
	case len(old) > 0:
		words := posture.Words{ByHand: len(old) > 1 || bucket(v).Elsewhere()}
		if !words.ByHand {
			path := "/accounts/{account_id}/r2/buckets/{id}/domains/custom/" + url.PathEscape(old[0])
			words.Call = posture.Call{Method: "PUT", Path: path, From: path,
				Body: `.result | {enabled, ciphers, minTLS: "1.2"} | with_entries(select(.value != null and .value != []))`}
		}
		return v.Fail("The bucket "+v.Item()+" accepts TLS 1.0 or 1.1 at "+strings.Join(old, ", ")+".", seen...).As(words)
	case odd != "":
		return v.Unknown("the minimum TLS version of " + odd + " is not one this check knows")
	}
	return v.Pass("Every custom domain of the bucket refuses old TLS.")
}

// proposeTLS raises the minimum of every enabled hostname of the bucket.
func proposeTLS(c *propose.Case) ([]change.Edit, error) {
	list, live, err := c.OfBucket("/domains/custom")
	if err != nil {
		return nil, err
	}
	var out []change.Edit
	odd := ""
	for _, d := range propose.Objects(live["domains"]) {
		min, host := propose.Text(d, "minTLS"), propose.Text(d, "domain")
		if !propose.Flag(d, "enabled") || min == "1.2" || min == "1.3" {
			continue
		}
		if min != "" && !weak(min) {
			odd = host
			continue
		}
		place := change.Place{Path: list.Path + "/" + url.PathEscape(host), Header: list.Header}
		e := propose.Patch("PUT", place, place.Path, d, map[string]any{"minTLS": "1.2"})
		sent := func(version any) json.RawMessage {
			body := map[string]any{"minTLS": version, "enabled": d["enabled"]}
			if len(propose.Texts(d["ciphers"])) > 0 {
				body["ciphers"] = d["ciphers"]
			}
			return change.Encode(body)
		}
		e.Do.Body, e.Undo.Body, e.Label = sent("1.2"), sent(d["minTLS"]), host
		out = append(out, e)
	}
	if len(out) == 0 && odd != "" {
		return nil, propose.Refuse("The minimum TLS version of %s is not one this remedy knows.", odd)
	}
	return out, nil
}
