package simcloud

import "slices"

// zeroTrustLogs are the datasets of Access and Gateway.
func zeroTrustLogs() []string { return []string{"access_requests", "gateway_dns", "gateway_http"} }

// makeExports exports the Zero Trust logs where the plan has that, one of them
// into a bucket of the account.
func (a *account) makeExports() {
	if a.bestPlan() != "enterprise" {
		return
	}
	for _, dataset := range zeroTrustLogs() {
		job := newJob(a.next("job"), a.cloud, "zero-trust", dataset)
		if dataset == "access_requests" && a.r2Enabled {
			job["destination_conf"] = r2Destination(logBucket)
		}
		a.jobs = append(a.jobs, job)
	}
}

func plantsExports() []Plant {
	without := func(datasets ...string) func(*account) {
		return func(a *account) {
			a.jobs = slices.DeleteFunc(a.jobs, func(j obj) bool { return slices.Contains(datasets, asText(j["dataset"])) })
		}
	}
	both := func(a *account) bool { return a.org != nil && len(a.gatewayRules) > 0 }
	return []Plant{
		accountWide("CFL-LOG-004", "none", failed, "zero-trust-jobs", without(zeroTrustLogs()...)).on("enterprise").when(both),
		accountWide("CFL-LOG-004", "no-sign-ins", warning, "zero-trust-jobs", without("access_requests")).on("enterprise").when(both),
		accountWide("CFL-LOG-004", "no-browsing", warning, "zero-trust-jobs", without("gateway_http")).on("enterprise").when(both),
	}
}
