package snapshot

import "slices"

// R2Lock holds the rules that prevent the deletion of objects in a bucket.
const R2Lock Key[[]R2LockRule] = "r2/lock"

// R2LockRule prevents the deletion of objects.
type R2LockRule struct {
	ID      string     `json:"id"`
	Enabled bool       `json:"enabled"`
	Prefix  string     `json:"prefix,omitempty"`
	Until   R2Deadline `json:"until"`
}

type r2LockWire struct {
	Rules []struct {
		ID        string `json:"id"`
		Enabled   bool   `json:"enabled"`
		Prefix    string `json:"prefix"`
		Condition struct {
			Type   string `json:"type"`
			MaxAge int    `json:"maxAgeSeconds"`
			Date   Time   `json:"date"`
		} `json:"condition"`
	} `json:"rules"`
}

// r2Lock reads the rules that prevent the deletion of objects in a bucket; it is read only for
// buckets of logs and backups
// (developers.cloudflare.com/api/resources/r2/subresources/buckets/subresources/locks/methods/get/).
func r2Lock() Source {
	return object(R2Lock, ofBucket(Source{
		Path:  "/accounts/{account_id}/r2/buckets/{item}/lock",
		After: []string{ZoneList.Source(), AccountLogpushJobs.Source(), ZoneLogpushJobs.Source()},
		Skip: func(k *Known, t SourceScope) string {
			if bucketOf(k, t).NamedAs("log", "backup") || mayReceiveLogs(k, t) {
				return ""
			}
			return "the bucket holds neither logs nor backups"
		},
		Example: `{"rules":[{"id":"keep","enabled":true,"prefix":"","condition":{"type":"Age","maxAgeSeconds":7776000}}]}`,
	}), func(w r2LockWire) []R2LockRule {
		out := []R2LockRule{}
		for _, r := range w.Rules {
			out = append(out, R2LockRule{ID: r.ID, Enabled: r.Enabled, Prefix: r.Prefix,
				Until: R2Deadline{Kind: r.Condition.Type, Seconds: r.Condition.MaxAge, Date: r.Condition.Date}})
		}
		return out
	})
}

// mayReceiveLogs reports whether a log export writes to the bucket, or may do so: jobs that were
// not read may write anywhere.
func mayReceiveLogs(k *Known, t SourceScope) bool {
	writes := func(jobs []LogpushJob) bool {
		return slices.ContainsFunc(jobs, func(j LogpushJob) bool { return j.WritesTo(bucketOf(k, t).Name, t.AccountID) })
	}
	unread := func(source Named, scope string) bool {
		status := k.Status(source, scope)
		return !status.Known() && status != NotEntitled
	}
	jobs, _ := Cached(k, AccountLogpushJobs, t.AccountID)
	zones, listed := Cached(k, ZoneList, t.AccountID)
	if !listed || unread(AccountLogpushJobs, t.AccountID) || writes(jobs) {
		return true
	}
	return slices.ContainsFunc(zones, func(z Zone) bool {
		jobs, _ := Cached(k, ZoneLogpushJobs, z.ID)
		return z.MayHave("enterprise") && unread(ZoneLogpushJobs, z.ID) || writes(jobs)
	})
}
