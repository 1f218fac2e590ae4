package simcloud

import (
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// newJob returns one Logpush job, see
// https://developers.cloudflare.com/api/resources/logpush/subresources/jobs/. The destination
// carries credentials, as real ones do.
func newJob(s *stream, cl *Cloud, name, dataset string) obj {
	fields := []string{"RayID"}
	for f := range snapshot.EvidentFields(dataset) {
		fields = append(fields, f)
	}
	slices.Sort(fields)
	return obj{
		"id": 100000 + int(s.next()%800000), "name": name, "dataset": dataset, "enabled": true, "kind": "", "frequency": "high",
		"destination_conf": "s3://" + name + "-logs/{DATE}?region=eu-central-1&access-key-id=" + canaryDestination + "&secret-access-key=" +
			canaryDestination,
		"logpull_options": "fields=ClientIP,RayID&timestamps=rfc3339", "error_message": nil, "last_error": nil,
		"last_complete": cl.ago(10 * time.Minute), "output_options": obj{"output_type": "ndjson", "sample_rate": 1,
			"field_names": fields},
	}
}

// failJob marks a job as failing since its last delivery.
func failJob(cl *Cloud, job obj) {
	job["last_complete"], job["last_error"] = cl.ago(3*time.Hour), cl.ago(time.Hour)
	job["error_message"] = "destination refused the upload: access-key-id " + canaryErrorMessage + " is not allowed"
}

func (a *account) makeAccountJobs() {
	a.jobs = []obj{newJob(a.next("job"), a.cloud, "audit", "audit_logs_v2")}
}

func (z *zone) makeJobs() {
	if z.plan != "enterprise" {
		return
	}
	cl := z.acct.cloud
	z.jobs = []obj{newJob(z.next("job"), cl, "requests", "http_requests"), newJob(z.next("job"), cl, "events", "firewall_events")}
}

// lively advances the last delivery of healthy jobs with the clock, so that they do not become
// findings on a long-running server.
func (c *call) lively(jobs []obj) []obj {
	fresh := c.cloud.ago(10 * time.Minute)
	out := make([]obj, 0, len(jobs))
	for _, job := range jobs {
		if job["last_complete"] == fresh && job["enabled"] == true {
			job = maps.Clone(job)
			job["last_complete"] = stamp(c.now.Truncate(time.Second).Add(-10 * time.Minute))
		}
		out = append(out, job)
	}
	return out
}

func listAccountJobs(c *call) answer { return ok(c.lively(c.acct.jobs)) }

func listZoneJobs(c *call) answer {
	if c.zone.plan != "enterprise" {
		return refuse(http.StatusForbidden, 1002, "Logpush is not available for this zone: missing entitlement")
	}
	return ok(c.lively(c.zone.jobs))
}
