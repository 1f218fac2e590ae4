package simcloud

// productRoutes returns the operations of products that are assessed once per account.
func productRoutes() []Route {
	const (
		a         = "/accounts/{account_id}"
		pipelines = "Account: Pipelines Read"
		secrets   = "Account: Secrets Store Read"
		images    = "Account: Cloudflare Images Read"
		stream    = "Account: Stream Read"
		search    = "Account: AI Search Read"
		prefixes  = "Account: IP Prefixes: Read"
	)
	paged := func(path, permission, source string, p paging) Route {
		return list(a+path, permission, source, p, listHeld(source))
	}
	return []Route{
		paged("/pipelines/v1/streams", pipelines, "account/pipeline_streams", pages(20, 100)),
		change("PATCH", a+"/pipelines/v1/streams/{stream_id}", pipelines, patchStream),
		paged("/pipelines/v1/sinks", pipelines, "account/pipeline_sinks", pages(20, 100)),
		paged("/secrets_store/stores", secrets, "account/secret_stores", pages(20, 100)),
		list(a+"/secrets_store/stores/{store_id}/secrets", secrets, "secretstore/secrets", pages(20, 100),
			listHeldOf("secretstore/secrets", "store_id")),
		read(a+"/images/v1/variants", images, "account/image_variants", listVariants),
		read(a+"/stream", stream, "account/stream_videos", listHeld("account/stream_videos")),
		read(a+"/stream/keys", stream, "account/stream_keys", listHeld("account/stream_keys")),
		read(a+"/calls/turn_keys", "Account: Cloudflare Calls Read", "account/turn_keys", listHeld("account/turn_keys")),
		read(a+"/workers/dispatch/namespaces", permWorkers, "account/dispatch_namespaces", listHeld("account/dispatch_namespaces")),
		read(a+"/containers/applications", "Account: Containers Read", "account/containers", listHeld("account/containers")),
		paged("/ai-search/namespaces", search, "account/ai_search_namespaces", pages(20, 50)),
		list(a+"/ai-search/namespaces/{name}/instances", search, "aisearch/instances", pages(20, 50), listHeldOf("aisearch/instances", "name")),
		read(a+"/addressing/prefixes", prefixes, "account/ip_prefixes", listHeld("account/ip_prefixes")),
		read(a+"/addressing/prefixes/{prefix_id}/delegations", prefixes, "prefix/delegations", listHeldOf("prefix/delegations", "prefix_id")),
		paged("/waiting_rooms", "Zone: Waiting Rooms Read", "account/waiting_rooms", pages(25, 100)),
		read("/zones/{zone_id}/snippets/snippet_rules", permSnippets, "zone/snippet_rules", listSnippetRules),
		read("/zones/{zone_id}/settings/zaraz/workflow", permZaraz, "zone/zaraz_workflow", readZarazWorkflow),
	}
}

// listSnippetRules returns one rule per snippet, disabled if the snippet is idle.
func listSnippetRules(c *call) answer {
	if c.zone.plan == "free" {
		return notOnPlan()
	}
	out := []obj{}
	for _, s := range c.zone.snippets {
		out = append(out, obj{"id": hexID(0, "snippet-rule", c.zone.id, s.name), "snippet_name": s.name, "enabled": !s.idle,
			"expression": `http.host eq "` + c.zone.name + `"`, "description": canaryProduct, "last_updated": c.cloud.ago(30 * day)})
	}
	return ok(out)
}

func readZarazWorkflow(c *call) answer {
	if c.zone.zarazAtOnce {
		return ok("realtime")
	}
	return ok("preview")
}
