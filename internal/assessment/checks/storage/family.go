// Package storage holds the checks of buckets, queues and database connections.
package storage

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// bucket returns the bucket of the unit.
func bucket(v *check.View) snapshot.Bucket {
	for _, b := range check.Read(v, snapshot.R2Buckets) {
		if b.SortKey() == v.Item() {
			return b
		}
	}
	return snapshot.Bucket{Name: v.Item()}
}

// rename is an example edit that renames the only bucket and keeps what is known about it.
func rename(name string) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		snapshot.Put(b, snapshot.R2Buckets, goodtest.Account, []snapshot.Bucket{{Name: name, Jurisdiction: "default"}})
		snapshot.Put(b, snapshot.R2CustomDomains, name, []snapshot.R2Domain{})
		snapshot.Put(b, snapshot.R2CORS, name, []snapshot.R2CORSRule{})
		snapshot.Put(b, snapshot.R2Lifecycle, name, []snapshot.R2LifecycleRule{expire("", 365)})
		snapshot.Put(b, snapshot.R2Lock, name, []snapshot.R2LockRule{keep("", 90)})
	}
}

const daySeconds = 24 * 60 * 60

// expire returns an example rule that deletes objects after the given number of days.
func expire(prefix string, days int) snapshot.R2LifecycleRule {
	return snapshot.R2LifecycleRule{ID: "expire", Enabled: true, Prefix: prefix, Delete: &snapshot.R2Deadline{Kind: "Age",
		Seconds: days * daySeconds}}
}

// keep returns an example lock for the given number of days.
func keep(prefix string, days int) snapshot.R2LockRule {
	return snapshot.R2LockRule{ID: "keep", Enabled: true, Prefix: prefix, Until: snapshot.R2Deadline{Kind: "Age", Seconds: days * daySeconds}}
}

// noBucket is an example edit: the account has no bucket.
func noBucket(b *snapshot.Builder) {
	snapshot.Put(b, snapshot.R2Buckets, goodtest.Account, []snapshot.Bucket{})
}

// put is an example edit of one section of a bucket.
func put[T any](k snapshot.Key[T], name string, value T) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) { snapshot.Put(b, k, name, value) }
}
