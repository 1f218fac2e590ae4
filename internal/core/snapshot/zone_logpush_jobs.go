package snapshot

// ZoneLogpushJobs holds the log exports of a zone.
const ZoneLogpushJobs Key[[]LogpushJob] = "zone/logpush_jobs"

// zoneLogpushJobs lists the log exports of a zone
// (developers.cloudflare.com/api/resources/logpush/subresources/jobs/methods/list/).
func zoneLogpushJobs() Source {
	return list(ZoneLogpushJobs, Source{
		Path: "/zones/{zone_id}/logpush/jobs", Volatile: true, Permission: "Zone: Logs Read", Plans: []string{"enterprise"},
		Example: `[{"id":8,"dataset":"http_requests","enabled":true,` +
			`"destination_conf":"https://logs.acme.example/in?header_Authorization=drop","output_options":{"field_names":["ClientIP"]}}]`,
	}, reduceLogpush)
}
