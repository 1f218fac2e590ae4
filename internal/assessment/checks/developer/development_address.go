package developer

import (
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// developmentAddress finds buckets that are public at their development URL.
func developmentAddress() check.Check {
	return check.Check{
		ID: "CFL-R2-004", Title: "The development address of buckets is off",
		Category: "r2", Severity: posture.High, Resource: posture.ResourceBucket, Scope: check.PerBucket,
		Why: "The Public Development URL of an R2 bucket (r2.dev) serves every object to everyone. WAF rules, Access " +
			"and caching do not apply there, and its rate is limited.",
		Fix: "Publish the bucket at a custom domain, move the links there, then disable the Public Development URL.",
		Words: posture.Words{
			Problem: "Anyone can read bucket {name} at its r2.dev address",
			Impact: "Anyone who knows or guesses the path of an object downloads it, without a login or a rule that could " +
				"stop it.",
			Breaks:    "Links to the r2.dev address of the bucket get an error.",
			Dashboard: "R2 object storage › {name} › Settings › Public Development URL › Disable.",
			Call: posture.Call{Method: "PUT", Path: "/accounts/{account_id}/r2/buckets/{id}/domains/managed",
				Body: `{"enabled": false}`},
			Terraform: `resource "cloudflare_r2_managed_domain" "off" {
  account_id  = "{account_id}"
  bucket_name = "{name}"
  enabled     = false
}`},
		References: []string{"https://developers.cloudflare.com/r2/"},
		Controls: check.Controls{
			check.Supports("cis 3.3", "The address by which anybody could read the bucket is off."),
			check.Supports("soc2 CC6.1", "Objects are reached only by ways that can be restricted."),
			check.Supports("pci 1.4.2", "Storage is not a public component by accident."),
			check.Supports("pci 7.2.1", "Reading the bucket takes a grant."),
			check.Supports("nist PR.DS-01", "Stored objects have no public address without protection."),
		},
		Aliases: []string{"cnspec:r2-not-public", "cartography:cloudflare_r2_bucket_public", "flareinspect:CFL-R2-001"},
		Remedy: &propose.Remedy{Operation: "PUT /accounts/{account_id}/r2/buckets/{bucket_name}/domains/managed", Risk: "medium",
			Reversible: true, Body: `{"enabled": false}`,
			Inverse: `PUT {"enabled": true}`,
			Caution: "Links to the r2.dev address stop working.",
			Propose: proposeAddressOff},
		Needs: []snapshot.Named{snapshot.R2Buckets, snapshot.R2ManagedDomain},
		Evaluate: func(v *check.View) check.Outcome {
			a := check.Read(v, snapshot.R2ManagedDomain)
			if a.Enabled {
				elsewhere := slices.ContainsFunc(check.Read(v, snapshot.R2Buckets), func(b snapshot.Bucket) bool {
					return b.SortKey() == v.Item() && b.Elsewhere()
				})
				return v.Fail("The bucket "+v.Resource().Name+" can be read by anyone at "+a.Domain+".",
					check.Evidence(snapshot.R2ManagedDomain, "/enabled", "true", "false")).As(posture.Words{ByHand: elsewhere})
			}
			return v.Pass("The Public Development URL is disabled.")
		},
	}
}

func developmentAddressExamples() []goodtest.Example {
	return []goodtest.Example{
		{Name: "off", Want: posture.Pass, Resource: goodtest.Bucket},
		{Name: "on", Want: posture.Fail, Resource: goodtest.Bucket, Edit: func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.R2ManagedDomain, goodtest.Bucket, snapshot.R2ManagedAddress{Domain: "pub-1.r2.dev", Enabled: true})
		}},
		{Name: "a bucket of another jurisdiction was not read", Want: posture.Unknown, Resource: "eu_data", Edit: func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.R2Buckets, goodtest.Account, func(bs *[]snapshot.Bucket) {
				*bs = append(*bs, snapshot.Bucket{ID: "eu_data", Name: "data", Jurisdiction: "eu"})
			})
		}},
		{Name: "no bucket", Want: posture.NotApplicable, Edit: func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.R2Buckets, goodtest.Account, []snapshot.Bucket{})
		}},
	}
}

// proposeAddressOff disables the development URL of a bucket.
func proposeAddressOff(c *propose.Case) ([]change.Edit, error) {
	place, live, err := c.OfBucket("/domains/managed")
	if err != nil {
		return nil, err
	}
	if live["enabled"] != true {
		return nil, nil
	}
	return []change.Edit{propose.Patch("PUT", place, place.Path, live, map[string]any{"enabled": false})}, nil
}
