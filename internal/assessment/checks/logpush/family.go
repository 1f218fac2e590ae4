// Package logpush holds the checks of log export.
package logpush

import (
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// zoneJobs is an example edit that sets the jobs of the zone.
func zoneJobs(all ...snapshot.LogpushJob) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) { snapshot.Put(b, snapshot.ZoneLogpushJobs, goodtest.Zone, all) }
}

// job returns an example job that last succeeded an hour ago.
func job(id int, dataset string) snapshot.LogpushJob {
	return snapshot.LogpushJob{ID: id, Dataset: dataset, Enabled: true, LastComplete: snapshot.At(goodtest.Now().Add(-time.Hour)),
		SampleRate: 1}
}

// failing makes the last run of a job fail.
func failing(j snapshot.LogpushJob) snapshot.LogpushJob {
	j.LastError, j.HasError = snapshot.At(goodtest.Now()), true
	return j
}

// filtered makes a job export part of its dataset.
func filtered(j snapshot.LogpushJob) snapshot.LogpushJob {
	j.Filtered = true
	return j
}

// sampled makes a job export a hundredth of its dataset.
func sampled(j snapshot.LogpushJob) snapshot.LogpushJob {
	j.SampleRate = 0.01
	return j
}

func disabled(j snapshot.LogpushJob) snapshot.LogpushJob {
	j.Enabled = false
	return j
}

// exports reports whether a working job exports all of a dataset, and whether any exports part of
// it: a filter excludes logs, and a sample most of them
// (developers.cloudflare.com/logs/logpush/logpush-job/filters/).
func exports(jobs []snapshot.LogpushJob, dataset string) (whole, any bool) {
	for _, j := range jobs {
		if j.Exports(dataset) {
			whole, any = whole || !j.Partial(), true
		}
	}
	return whole, any
}
