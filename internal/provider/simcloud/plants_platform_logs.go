package simcloud

import "slices"

// zeroTrustLogs returns the datasets of Access and Gateway.
func zeroTrustLogs() []string {
	return []string{"access_requests", "gateway_dns", "gateway_http", "gateway_network"}
}

// makeExports adds jobs that export the Zero Trust logs if the plan includes that, one of them to a
// bucket of the account.
func (a *account) makeExports() {
	if a.bestPlan() != "enterprise" {
		return
	}
	for _, dataset := range zeroTrustLogs() {
		job := newJob(a.next("job"), a.cloud, "zero-trust", dataset)
		if dataset == "access_requests" && a.r2Enabled {
			job["destination_conf"] = a.r2Destination(logBucket)
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
	extra := func(check, variant, result, destination string) Plant {
		return accountWide(check, variant, result, "extra-destination", func(a *account) {
			j := newJob(a.next("job"), a.cloud, "traces", "workers_trace_events")
			j["destination_conf"] = destination
			a.jobs = append(a.jobs, j)
		})
	}
	both := func(a *account) bool { return a.org != nil && len(a.gatewayRules) > 0 }
	return []Plant{
		extra("CFL-LOG-005", "splunk", failed, "splunk://collector.shop.test/raw?channel=c1&insecure-skip-verify=true&sourcetype=json"+
			"&header_Authorization="+canaryDestination),
		extra("CFL-LOG-006", "foreign", failed, "r2://logs/{DATE}?account-id=0a0000000000000000000000000000ff&access-key-id="+
			canaryDestination+"&secret-access-key="+canaryDestination),
		zonal("CFL-LOG-007", "no-client", failed, "zone-jobs", func(z *zone) {
			options, _ := z.jobs[0]["output_options"].(obj)
			options["field_names"] = []string{"RayID", "ClientRequestHost"}
		}).on("enterprise"),
		accountWide("CFL-LOG-004", "none", failed, "zero-trust-jobs", without(zeroTrustLogs()...)).on("enterprise").when(both),
		accountWide("CFL-LOG-004", "no-sign-ins", warning, "zero-trust-jobs", without("access_requests")).on("enterprise").when(both),
		accountWide("CFL-LOG-004", "no-browsing", warning, "zero-trust-jobs", without("gateway_http")).on("enterprise").when(both),
	}
}
