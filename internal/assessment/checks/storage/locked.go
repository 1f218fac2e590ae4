package storage

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// locked judges whether logs and backups can be deleted. The path that a log export writes to is
// not stored, so it is undecided whether a lock on part of the bucket covers the logs.
func locked() check.Check {
	return check.Check{
		ID: "CFL-R2-006", Title: "Log and backup buckets are locked",
		Category: "r2", Severity: posture.Low, Resource: posture.ResourceBucket, Scope: check.PerBucket,
		Why: "Logs and backups are what an intruder deletes first. A bucket lock rule keeps objects from being " +
			"deleted or overwritten, whoever asks.",
		Fix: "Add a bucket lock rule for the whole bucket, first for a short time.",
		Words: posture.Words{
			Problem: "Logs or backups in bucket {name} can be deleted",
			Impact:  "Anyone with a key that may write to the bucket deletes the logs of an attack or every backup.",
			Breaks: "Jobs that delete or overwrite objects before the period has passed fail, and the objects still cost " +
				"storage.",
			Dashboard: "R2 object storage › {name} › Settings › Bucket lock rules › Add rule: no prefix, and a retention period.",
			Call: posture.Call{Method: "PUT", Path: "/accounts/{account_id}/r2/buckets/{id}/lock",
				From: "/accounts/{account_id}/r2/buckets/{id}/lock",
				Body: `{rules: ((.result.rules // []) + [{id: "Keep objects", enabled: true, prefix: "", condition: {type: "Age", ` +
					`maxAgeSeconds: ("{$DAYS}" | tonumber * 86400)}}])}`,
				Choose: "DAYS: for how many days objects cannot be deleted (such as 30)"},
			Terraform: `resource "cloudflare_r2_bucket_lock" "keep" {
  account_id  = "{account_id}"
  bucket_name = "{name}"
  rules = [{
    id        = "keep"
    enabled   = true
    prefix    = ""
    condition = { type = "Age", max_age_seconds = 2592000 }
  }]
}`},
		References: []string{"https://developers.cloudflare.com/r2/"},
		Controls: check.Controls{
			check.Supports("cis 8.9", "Exported logs stay in their place until their time is over."),
			check.Shows("cis 11.3", "Backups cannot be deleted or overwritten while they are locked."),
			check.Touches("soc2 CC7.2", "Locked logs can be watched later; the lock watches nothing."),
			check.Supports("soc2 CC7.5", "A backup is there when something has to be recovered."),
			check.Shows("pci 10.3.2", "Exported logs cannot be changed while they are locked."),
			check.Supports("pci 10.5.1", "Locked logs are kept; for how long is in the rule."),
			check.Supports("nist PR.DS-11", "Backups are protected; whether they were tested is not seen."),
		},
		Aliases: []string{"flareinspect:CFL-R2-002"},
		Remedy: &propose.Remedy{Operation: "PUT /accounts/{account_id}/r2/buckets/{bucket_name}/lock", Risk: "high", Reversible: true,
			Body:    "the captured rules plus one enabled rule with an age condition",
			Inverse: "PUT the captured rules",
			Caution: "Locked objects cannot be deleted until the age is reached and still cost storage; start with a short age.",
			Inputs: []change.Input{{Name: "days", Example: "30",
				Description: "For how many days no object of the bucket can be deleted; start short."}},
			Propose: proposeKeep},
		Needs: []snapshot.Named{snapshot.R2Buckets, snapshot.R2Lock, snapshot.AccountLogpushJobs,
			snapshot.ZoneLogpushJobs},
		Optional: []snapshot.Named{snapshot.ZoneList},
		Evaluate: evaluateLocked,
	}
}

func lockedExamples() []goodtest.Example {
	const logs = "edge-logs"
	locks := func(all ...snapshot.R2LockRule) func(*snapshot.Builder) {
		return goodtest.Edits(rename(logs), put(snapshot.R2Lock, logs, all))
	}
	until := func(d snapshot.R2Deadline) snapshot.R2LockRule {
		return snapshot.R2LockRule{ID: "keep", Enabled: true, Until: d}
	}
	off := keep("", 90)
	off.Enabled = false
	export := func(all ...snapshot.R2LockRule) func(*snapshot.Builder) {
		return goodtest.Edits(put(snapshot.R2Lock, goodtest.Bucket, all), func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.ZoneLogpushJobs, goodtest.Zone, func(js *[]snapshot.LogpushJob) {
				(*js)[0].Destination = "r2://" +
					goodtest.Bucket
			})
		})
	}
	return []goodtest.Example{
		{Name: "90 days", Want: posture.Pass, Resource: logs, Edit: locks(keep("", 90))},
		{Name: "exactly 30 days", Want: posture.Pass, Edit: locks(keep("", 30))},
		{Name: "a thousand years", Want: posture.Pass, Edit: locks(keep("", 365_000))},
		{Name: "for good", Want: posture.Pass, Edit: locks(until(snapshot.R2Deadline{Kind: "Indefinite"}))},
		{Name: "until a far date", Want: posture.Pass, Edit: locks(until(snapshot.R2Deadline{Kind: "Date",
			Date: snapshot.At(goodtest.Now().AddDate(1, 0, 0))}))},
		{Name: "no lock", Want: posture.Fail, Resource: logs, Edit: locks()},
		{Name: "the lock is off", Want: posture.Fail, Edit: locks(off)},
		{Name: "the lock covers a part", Want: posture.Fail, Edit: locks(keep("2024/", 90))},
		{Name: "29 days", Want: posture.Warning, Resource: logs, Edit: locks(keep("", 29))},
		{Name: "until a near date", Want: posture.Warning,
			Edit: locks(until(snapshot.R2Deadline{Kind: "Date", Date: snapshot.At(goodtest.Now().AddDate(0, 0, 5))}))},
		{Name: "the longer of two counts", Want: posture.Pass, Edit: locks(keep("", 1), keep("", 90))},
		{Name: "a lifecycle rule, over which the lock takes precedence", Want: posture.Pass, Edit: goodtest.Edits(locks(keep("", 90)),
			put(snapshot.R2Lifecycle, logs, []snapshot.R2LifecycleRule{expire("", 7)}))},
		{Name: "until a date that has passed", Want: posture.Fail, Resource: logs, Edit: locks(until(snapshot.R2Deadline{Kind: "Date",
			Date: snapshot.At(goodtest.Now().AddDate(0, 0, -1))}))},
		{Name: "a part until a date that has passed, and the whole for 90 days", Want: posture.Pass,
			Edit: locks(snapshot.R2LockRule{ID: "old", Enabled: true, Prefix: "2024/", Until: snapshot.R2Deadline{Kind: "Date",
				Date: snapshot.At(goodtest.Now().AddDate(-1, 0, 0))}}, keep("", 90))},
		{Name: "a condition nobody knows", Want: posture.Unknown, Resource: logs, Edit: locks(until(snapshot.R2Deadline{Kind: "Legal"}))},
		{Name: "a log export without a lock", Want: posture.Fail, Resource: goodtest.Bucket, Edit: export()},
		{Name: "a log export with a lock", Want: posture.Pass, Edit: export(keep("", 90))},
		{Name: "a log export with a lock on a part", Want: posture.Unknown, Resource: goodtest.Bucket, Edit: export(keep("http/", 90))},
		{Name: "another bucket", Want: posture.NotApplicable},
		{Name: "no bucket", Want: posture.NotApplicable, Edit: noBucket},
	}
}

// exported reports whether a log export writes to the bucket of the unit.
func exported(v *check.View) bool {
	writes := func(j snapshot.LogpushJob) bool { return j.WritesTo(bucket(v).Name, v.Account().ID) }
	if slices.ContainsFunc(check.Read(v, snapshot.AccountLogpushJobs), writes) {
		return true
	}
	return slices.ContainsFunc(v.Zones(), func(z snapshot.Zone) bool {
		return slices.ContainsFunc(check.ReadAt(v, snapshot.ZoneLogpushJobs, z.ID), writes)
	})
}

// forGood is a hundred years, in seconds. A duration of more than 292 years has no form.
const forGood = 100 * 365 * daySeconds

// lasts returns how long a deadline protects an object that is written now; ok is false for an
// unknown kind.
func lasts(v *check.View, d snapshot.R2Deadline) (left time.Duration, ok bool) {
	switch d.Kind {
	case "Indefinite":
		return 1<<63 - 1, true
	case "Date":
		return d.Date.Sub(v.Now()), !d.Date.IsZero()
	case "Age":
		return time.Duration(min(d.Seconds, forGood)) * time.Second, true
	default:
		return 0, false
	}
}

func evaluateLocked(v *check.View) check.Outcome {
	logs := exported(v)
	switch named := bucket(v).NamedAs("log", "backup"); {
	case !logs && !named && v.Narrowed():
		return v.Unknown("whether a zone that is not part of this run exports its logs to the bucket was not read")
	case !logs && !named:
		return v.NotApplicable("the bucket is neither the destination of logs nor named as log or backup")
	}
	longest, covers, partly, odd := time.Duration(0), false, false, false
	for _, r := range check.Read(v, snapshot.R2Lock) {
		left, ok := lasts(v, r.Until)
		switch {
		case !r.Enabled, ok && left <= 0: // a date in the past locks nothing
		case r.Prefix != "":
			partly = true
		case !ok:
			odd = true
		default:
			covers, longest = true, max(longest, left)
		}
	}
	need := time.Duration(v.Policy.LockDays) * 24 * time.Hour
	expected := fmt.Sprintf("at least %d days", v.Policy.LockDays)
	switch {
	case !covers && odd:
		return v.Unknown("the lock of the bucket has a condition this check does not know")
	case !covers && logs && partly:
		return v.Unknown("a lock covers a part of the bucket; whether the logs are in it is not known")
	case !covers:
		return v.Fail("No enabled lock rule covers the whole bucket "+v.Item()+", so its objects can be deleted at any time.",
			check.Evidence(snapshot.R2Lock, "", "no enabled lock for the whole bucket", expected)).As(posture.Words{ByHand: bucket(v).Elsewhere()})
	case longest < need:
		return v.Warn("The lock of the bucket "+v.Item()+" lasts "+check.Lasting(longest.Round(time.Hour))+
			" and should last "+check.Lasting(need)+".",
			check.Evidence(snapshot.R2Lock, "", check.Lasting(longest), expected)).
			As(posture.Words{Problem: "The lock of bucket {name} is too short", ByHand: bucket(v).Elsewhere()})
	}
	return v.Pass("A lock rule keeps the objects of the bucket.")
}

// proposeKeep adds one lock for the whole bucket. The period during which nothing can be deleted
// costs storage and is chosen by a person.
func proposeKeep(c *propose.Case) ([]change.Edit, error) {
	place, live, err := c.OfBucket("/lock")
	if live == nil || err != nil {
		return nil, err
	}
	rules := propose.Objects(live["rules"])
	for _, r := range rules {
		if propose.Text(r, "prefix") == "" && propose.Flag(r, "enabled") && keeps(c, r) {
			return nil, nil
		}
		if propose.Text(r, "id") == c.Mark() {
			return nil, propose.Refuse("The lock %s exists already and was changed since; look at it, or delete it and plan again.", c.Mark())
		}
	}
	var lockDays int
	if err := c.Input("days", &lockDays); err != nil {
		return nil, err
	}
	if lockDays < c.Policy.LockDays || lockDays > longestLock {
		return nil, propose.Refuse("The lock must last between %d and %d days.", c.Policy.LockDays, longestLock)
	}
	written := make([]any, 0, len(rules)+1)
	for _, r := range rules {
		written = append(written, r)
	}
	captured := map[string]any{"rules": slices.Clone(written)}
	lock := map[string]any{"id": c.Mark(), "enabled": true, "condition": map[string]any{"type": "Age", "maxAgeSeconds": lockDays * daySeconds}}
	or := change.Encode(map[string]any{"rules": append(slices.Clone(written), lock)}) // the API may omit an empty prefix
	lock = maps.Clone(lock)
	lock["prefix"] = ""
	e := propose.Replace("PUT", place, place.Path, captured, map[string]any{"rules": append(written, lock)}, captured, "rules")
	e.Or = or
	return []change.Edit{e}, nil
}

// longestLock is ten years, in days: a typing error must not lock data for good.
const longestLock = 3650

// keeps reports whether a live lock lasts as long as required.
func keeps(c *propose.Case, rule map[string]any) bool {
	condition, _ := rule["condition"].(map[string]any)
	need := time.Duration(c.Policy.LockDays) * 24 * time.Hour
	switch condition["type"] {
	case "Indefinite":
		return true
	case "Date":
		return propose.Moment(condition, "date").Sub(c.Now) >= need
	default:
		return time.Duration(min(seconds(condition["maxAgeSeconds"]), forGood))*time.Second >= need
	}
}

// seconds returns a decoded number, 0 when it is not one.
func seconds(v any) int64 {
	n, _ := v.(json.Number)
	s, err := n.Int64()
	if err != nil {
		return 0
	}
	return s
}
