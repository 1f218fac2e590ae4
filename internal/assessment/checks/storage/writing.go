package storage

import (
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// writing judges what pages of any site may do with a bucket.
func writing() check.Check {
	return check.Check{
		ID: "CFL-R2-005", Title: "Cross-origin writing is limited",
		Category: "r2", Severity: posture.Medium, Resource: posture.ResourceBucket, Scope: check.PerBucket,
		Why: "A CORS rule of a bucket says which web pages may call its S3 API from a browser. With a presigned URL, " +
			"such a page also writes.",
		Fix: "List the origins that use the bucket in place of the wildcard.",
		Words: posture.Words{
			Problem:   "Pages of any site may write to bucket {name}",
			Impact:    "Someone who gets hold of a presigned URL uses it from a page of their own in the browser of a visitor.",
			Breaks:    "Web pages of origins that are not in the list can no longer use the bucket.",
			Dashboard: "R2 object storage › {name} › Settings › CORS Policy › Edit: list the origins in AllowedOrigins.",
			Call: posture.Call{Method: "PUT", Path: "/accounts/{account_id}/r2/buckets/{id}/cors",
				From: "/accounts/{account_id}/r2/buckets/{id}/cors",
				Body: `{rules: (.result.rules | map(if any(.allowed.origins[]; ascii_downcase | IN("*", "http://*", "https://*", "null")) then ` +
					`.allowed.origins = ["{$ORIGIN}"] else . end))}`,
				Choose: "ORIGIN: the origin whose pages use the bucket (such as https://app.shop.example)"},
			Terraform: `resource "cloudflare_r2_bucket_cors" "cors" {
  account_id  = "{account_id}"
  bucket_name = "{name}"
  rules = [{
    allowed = {
      origins = [var.origin]
      methods = ["GET", "PUT"]
      headers = ["content-type"]
    }
    max_age_seconds = 3600
  }]
}`},
		References: []string{"https://developers.cloudflare.com/r2/"},
		Controls: check.Controls{
			check.Supports("cis 16.11", "Cross-origin rules of storage are used safely."),
			check.Supports("soc2 CC6.1", "A foreign page cannot write to the bucket by a visitor's browser."),
			check.Supports("pci 6.2.4", "Cross-origin abuse is one of the common attacks that this rules out."),
			check.Supports("nist PR.DS-01", "Stored objects cannot be changed from foreign pages."),
		},
		Needs:    []snapshot.Named{snapshot.R2Buckets, snapshot.R2CORS},
		Unless:   check.Empty(snapshot.R2CORS, "the bucket has no rule for other sites"),
		Evaluate: evaluateWriting,
	}
}

func writingExamples() []goodtest.Example {
	rules := func(all ...snapshot.R2CORSRule) func(*snapshot.Builder) {
		return put(snapshot.R2CORS, goodtest.Bucket, all)
	}
	any := func(methods ...string) snapshot.R2CORSRule {
		return snapshot.R2CORSRule{Origins: []string{"*"}, Methods: methods}
	}
	named := snapshot.R2CORSRule{Origins: []string{"https://" + goodtest.Domain}, Methods: []string{"PUT", "GET"}}
	return []goodtest.Example{
		{Name: "named origins", Want: posture.Pass, Resource: goodtest.Bucket, Edit: rules(named)},
		{Name: "any site may upload", Want: posture.Fail, Resource: goodtest.Bucket, Edit: rules(named, any("GET", "PUT"))},
		{Name: "any site with HTTPS may upload", Want: posture.Fail,
			Edit: rules(snapshot.R2CORSRule{Origins: []string{"https://*"}, Methods: []string{"PUT"}})},
		{Name: "the sites below one domain may upload", Want: posture.Pass,
			Edit: rules(snapshot.R2CORSRule{Origins: []string{"https://*.shop.example"}, Methods: []string{"PUT"}})},
		{Name: "any site may post", Want: posture.Fail, Edit: rules(any("POST"))},
		{Name: "any site may delete", Want: posture.Fail, Edit: rules(any("delete"))},
		{Name: "any site may read", Want: posture.Warning, Resource: goodtest.Bucket, Edit: rules(any("GET"))},
		{Name: "any site may look", Want: posture.Warning, Edit: rules(named, any("HEAD"))},
		{Name: "star and writing in two rules", Want: posture.Warning, Edit: rules(any("GET"), named)},
		{Name: "no rule", Want: posture.NotApplicable, Edit: rules()},
		{Name: "the bucket has no such configuration", Want: posture.NotApplicable,
			Edit: func(b *snapshot.Builder) { b.Mark(snapshot.R2CORS.Source(), snapshot.Absent, "", "") }},
		{Name: "no bucket", Want: posture.NotApplicable, Edit: noBucket},
	}
}

func evaluateWriting(v *check.View) check.Outcome {
	all := check.Read(v, snapshot.R2CORS)
	allows := func(methods ...string) bool {
		return slices.ContainsFunc(all, func(r snapshot.R2CORSRule) bool {
			return slices.ContainsFunc(r.Origins, anySite) && slices.ContainsFunc(r.Methods,
				func(m string) bool { return slices.Contains(methods, strings.ToUpper(m)) })
		})
	}
	switch {
	case allows("PUT", "POST", "DELETE"):
		return v.Fail("A CORS rule lets pages of any site write to the bucket "+v.Item()+".",
			check.Evidence(snapshot.R2CORS, "", "origin * with a writing method", "named origins")).As(posture.Words{ByHand: bucket(v).Elsewhere()})
	case allows("GET", "HEAD"):
		return v.Warn("A CORS rule lets pages of any site read from the bucket "+v.Item()+".",
			check.Evidence(snapshot.R2CORS, "", "origin * with a reading method", "named origins")).As(posture.Words{
			Problem: "Pages of any site may read bucket {name}", ByHand: bucket(v).Elsewhere(),
			Impact: "Someone who gets hold of a presigned URL reads the object from a page of their own."})
	}
	return v.Pass("No rule lets pages of any site in.")
}

// anySite reports whether an origin of a rule matches every site; pages in a sandboxed frame have
// the origin null.
func anySite(origin string) bool {
	return slices.Contains([]string{"*", "http://*", "https://*", "null"}, strings.ToLower(origin))
}
