package simcloud

import "slices"

func plantsLogs() []Plant {
	noAudit := func(a *account) { a.jobs = slices.DeleteFunc(a.jobs, isAudit) }
	return []Plant{
		accountWide("CFL-ACC-009", "no-job", failed, "audit-job", noAudit).on("enterprise"),
		accountWide("CFL-ACC-009", "disabled", failed, "audit-job", nil).on("enterprise").applying(plantDisabledAudit),
		accountWide("CFL-ACC-009", "failing", failed, "audit-job", nil).on("enterprise").applying(plantFailingAudit),
		accountWide("CFL-ACC-009", "no-job-small", warning, "audit-job", noAudit).on("free", "pro", "business"),
		zonal("CFL-LOG-001", "none", failed, "zone-jobs", func(z *zone) { z.jobs = nil }).on("enterprise"),
		zonal("CFL-LOG-001", "one", warning, "zone-jobs", func(z *zone) { z.jobs = z.jobs[:1] }).on("enterprise"),
		accountWide("CFL-LOG-002", "failing", failed, "extra-job", func(a *account) {
			job := newJob(a.next("job"), a.cloud, "traces", "workers_trace_events")
			failJob(a.cloud, job)
			a.jobs = append(a.jobs, job)
		}),
		accountWide("CFL-LOG-002", "disabled-with-error", failed, "extra-job", func(a *account) {
			job := newJob(a.next("job"), a.cloud, "traces", "workers_trace_events")
			failJob(a.cloud, job)
			job["enabled"] = false
			a.jobs = append(a.jobs, job)
		}),
		accountWide("CFL-LOG-002", "stale", warning, "extra-job", func(a *account) {
			job := newJob(a.next("job"), a.cloud, "traces", "workers_trace_events")
			job["last_complete"] = a.cloud.ago(3 * day)
			a.jobs = append(a.jobs, job)
		}),
		accountWide("CFL-LOG-002", "disabled", warning, "extra-job", func(a *account) {
			job := newJob(a.next("job"), a.cloud, "traces", "workers_trace_events")
			job["enabled"] = false
			a.jobs = append(a.jobs, job)
		}),
	}
}

func isAudit(job obj) bool {
	return job["dataset"] == "audit_logs" || job["dataset"] == "audit_logs_v2"
}

// applying replaces the function of a plant that has more findings than its own.
func (p Plant) applying(apply func(*Scene) []Planted) Plant {
	p.Apply = apply
	return p
}

// plantDisabledAudit switches the job off; the health check also warns about a job that is off
// without an error.
func plantDisabledAudit(s *Scene) []Planted {
	s.account.jobs[slices.IndexFunc(s.account.jobs, isAudit)]["enabled"] = false
	return append(one("CFL-ACC-009", "account", s.account.id, failed), one("CFL-LOG-002", "account", s.account.id, warning)...)
}

func plantFailingAudit(s *Scene) []Planted {
	failJob(s.account.cloud, s.account.jobs[slices.IndexFunc(s.account.jobs, isAudit)])
	return append(one("CFL-ACC-009", "account", s.account.id, failed), one("CFL-LOG-002", "account", s.account.id, failed)...)
}
