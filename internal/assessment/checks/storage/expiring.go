package storage

import (
	"slices"
	"strings"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// expiring judges whether objects of a bucket are ever deleted. The rule that every new bucket has
// only ends uploads.
func expiring() check.Check {
	return check.Check{
		ID: "CFL-R2-008", Title: "Buckets expire what is no longer needed",
		Category: "r2", Severity: posture.Low, Resource: posture.ResourceBucket, Scope: check.PerBucket,
		Why: "An R2 bucket keeps objects until somebody deletes them. A lifecycle rule deletes them after the time " +
			"for which the data may be kept.",
		Fix: "Add an object lifecycle rule that deletes objects after the retention period of the data.",
		Words: posture.Words{
			Problem: "Objects in bucket {name} never expire",
			Impact:  "Someone who gets into the bucket years later reads data that should have been deleted long before.",
			Breaks:  "Objects older than the period are deleted within a day and cannot be restored.",
			Dashboard: "R2 object storage › {name} › Settings › Object Lifecycle Rules › Add rule: delete objects after the " +
				"retention period.",
			Call: posture.Call{Method: "PUT", Path: "/accounts/{account_id}/r2/buckets/{id}/lifecycle",
				From: "/accounts/{account_id}/r2/buckets/{id}/lifecycle",
				Body: `{rules: ((.result.rules // []) + [{id: "Expire objects", enabled: true, conditions: {prefix: ""}, ` +
					`deleteObjectsTransition: {condition: {type: "Age", maxAge: ("{$DAYS}" | tonumber * 86400)}}}])}`,
				Choose: "DAYS: after how many days objects are deleted (such as 365)"},
			Terraform: `resource "cloudflare_r2_bucket_lifecycle" "expire" {
  account_id  = "{account_id}"
  bucket_name = "{name}"
  rules = [{
    id                        = "expire"
    enabled                   = true
    conditions                = { prefix = "" }
    delete_objects_transition = { condition = { type = "Age", max_age = 31536000 } }
  }]
}`},
		References: []string{"https://developers.cloudflare.com/r2/"},
		Controls: check.Controls{
			check.Shows("cis 3.4", "Objects are removed when their time is over."),
			check.Supports("soc2 CC6.5", "Data does not outlive its use."),
			check.Supports("nist PR.DS-01", "Less data is stored than could be lost."),
		},
		Needs:    []snapshot.Named{snapshot.R2Buckets, snapshot.R2Lifecycle},
		Evaluate: evaluateExpiring,
	}
}

func expiringExamples() []goodtest.Example {
	rules := func(all ...snapshot.R2LifecycleRule) func(*snapshot.Builder) {
		return put(snapshot.R2Lifecycle, goodtest.Bucket, all)
	}
	abort := snapshot.R2LifecycleRule{ID: "Default Multipart Abort Rule", Enabled: true, Aborts: true}
	dated := func(year int) snapshot.R2LifecycleRule {
		return snapshot.R2LifecycleRule{ID: "end", Enabled: true, Delete: &snapshot.R2Deadline{Kind: "Date",
			Date: snapshot.At(time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC))}}
	}
	off := expire("", 365)
	off.Enabled = false
	return []goodtest.Example{
		{Name: "a year", Want: posture.Pass, Resource: goodtest.Bucket},
		{Name: "only uploads end", Want: posture.Fail, Resource: goodtest.Bucket, Edit: rules(abort)},
		{Name: "no rule", Want: posture.Fail, Edit: rules()},
		{Name: "the rule is off", Want: posture.Fail, Edit: rules(abort, off)},
		{Name: "only a part expires", Want: posture.Warning, Resource: goodtest.Bucket, Edit: rules(abort, expire("tmp/", 7))},
		{Name: "a part and the whole expire", Want: posture.Pass, Edit: rules(expire("tmp/", 7), expire("", 365))},
		{Name: "ten years", Want: posture.Pass, Edit: rules(abort, expire("", 3650))},
		{Name: "a hundred years", Want: posture.Fail, Edit: rules(abort, expire("", 36500))},
		{Name: "a date next year", Want: posture.Pass, Edit: rules(abort, dated(2027))},
		{Name: "a date in a far future", Want: posture.Fail, Edit: rules(abort, dated(2099))},
		{Name: "a hundred years, and a part after a week", Want: posture.Warning, Edit: rules(expire("", 36500), expire("tmp/", 7))},
		{Name: "after a time that is not told", Want: posture.Unknown, Resource: goodtest.Bucket,
			Edit: rules(snapshot.R2LifecycleRule{ID: "odd", Enabled: true, Delete: &snapshot.R2Deadline{}})},
		{Name: "after a time that is not told, and after a year", Want: posture.Pass,
			Edit: rules(snapshot.R2LifecycleRule{ID: "odd", Enabled: true, Delete: &snapshot.R2Deadline{}}, expire("", 365))},
		{Name: "only moved to cheaper storage", Want: posture.Fail, Edit: rules(snapshot.R2LifecycleRule{ID: "cold", Enabled: true})},
		{Name: "permanent storage", Want: posture.NotApplicable, Edit: rules(),
			Policy: func(p *policy.Policy) { p.PermanentBuckets = []string{goodtest.Bucket} }},
		{Name: "no bucket", Want: posture.NotApplicable, Edit: noBucket},
	}
}

func evaluateExpiring(v *check.View) check.Outcome {
	if slices.Contains(v.Policy.PermanentBuckets, bucket(v).Name) {
		return v.NotApplicable("the operator declared that the bucket is kept for good")
	}
	var parts []string
	odd := ""
	for _, r := range check.Read(v, snapshot.R2Lifecycle) {
		switch {
		case !r.Enabled || r.Delete == nil || r.Delete.Seconds > longestLock*daySeconds,
			r.Delete.Date.After(v.Now().AddDate(0, 0, longestLock)): // too long to have an effect
		case r.Delete.Kind != "Age" && r.Delete.Kind != "Date":
			odd = r.ID
		case r.Prefix == "":
			return v.Pass("A rule deletes old objects of the bucket.")
		default:
			parts = append(parts, r.Prefix)
		}
	}
	if odd != "" {
		return v.Unknown("Cloudflare did not tell when the lifecycle rule " + odd + " deletes objects")
	}
	if len(parts) > 0 {
		return v.Warn("Objects of the bucket "+v.Item()+" expire only under "+strings.Join(parts, ", ")+".",
			check.Evidence(snapshot.R2Lifecycle, "", "rules for "+strings.Join(parts, ", "), "a rule for the whole bucket")).
			As(posture.Words{Problem: "Only a part of bucket {name} expires", ByHand: bucket(v).Elsewhere()})
	}
	return v.Fail("No enabled lifecycle rule deletes objects of the bucket "+v.Item()+".", check.Evidence(snapshot.R2Lifecycle, "",
		"no enabled rule deletes objects", "a rule for the whole bucket")).As(posture.Words{ByHand: bucket(v).Elsewhere()})
}
