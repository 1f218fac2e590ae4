package simcloud

const (
	permPages         = "Account: Cloudflare Pages Read"
	canaryPagesText   = "leakcanary-pages-variable"
	canaryPagesToken  = "leakcanary-web-analytics-token"
	canaryPagesDeploy = "leakcanary-deployment-variable"
)

// makePages generates Pages projects, see
// https://developers.cloudflare.com/api/resources/pages/subresources/projects/.
func (a *account) makePages() {
	if a.spec.Workers < 0 || a.spec.Plain {
		return
	}
	docs := a.addProject("docs")
	a.setVariable(docs, "production", "REGION_LABEL", "plain_text", canaryPagesText)
	a.setVariable(docs, "preview", "API_TOKEN", "secret_text", "")
	docs["domains"] = []string{asText(docs["subdomain"]), "docs." + a.zoneName(0)}
	if a.org != nil {
		setPreviews(docs, "all")
		a.addApp("Docs previews", "self_hosted", "*."+asText(docs["subdomain"]))
		a.addApp("Docs", "self_hosted", asText(docs["subdomain"]))
	}
	landing := a.addProject("landing")
	// A site without functions may fail open.
	landing["uses_functions"] = false
	projectConfig(landing, "production")["fail_open"] = true
}

// addProject appends a project without previews whose functions fail closed.
func (a *account) addProject(name string) obj {
	s := a.next("pages")
	name += "-" + num(a.index)
	host := name + ".pages.dev"
	config := func() obj {
		return obj{
			"env_vars": obj{}, "fail_open": false, "compatibility_flags": []string{},
			"compatibility_date":                   a.cloud.ago(90 * day)[:len("2006-01-02")],
			"always_use_latest_compatibility_date": false,
			"usage_model":                          "standard", "build_image_major_version": 3, "kv_namespaces": obj{}, "d1_databases": obj{},
			"r2_buckets": obj{},
		}
	}
	p := obj{
		"id": s.uuid(), "name": name, "subdomain": host, "domains": []string{host}, "production_branch": "main", "uses_functions": true,
		"created_on": a.cloud.ago(90 * day),
		"source": obj{"type": "github", "config": obj{"owner": "acme", "repo_name": name, "production_branch": "main",
			"pr_comments_enabled": true, "preview_deployment_setting": "none"}},
		"build_config": obj{"build_command": "make", "destination_dir": "out", "web_analytics_tag": s.hex32(),
			"web_analytics_token": canaryPagesToken},
		"deployment_configs": obj{"production": config(), "preview": config()},
		"canonical_deployment": obj{"id": s.uuid(), "environment": "production", "deployment_trigger": obj{"type": "github:push",
			"metadata": obj{"branch": "main", "commit_dirty": false, "commit_message": canaryPagesDeploy}}},
		"latest_deployment": obj{"id": s.uuid(), "environment": "production",
			"env_vars": obj{"REGION_LABEL": obj{"type": "plain_text", "value": canaryPagesDeploy}}},
	}
	a.projects = append(a.projects, p)
	return p
}

func projectConfig(project obj, name string) obj {
	configs, _ := project["deployment_configs"].(obj)
	config, _ := configs[name].(obj)
	return config
}

func (a *account) setVariable(project obj, config, name, kind, value string) {
	variables, _ := projectConfig(project, config)["env_vars"].(obj)
	variables[name] = obj{"type": kind, "value": value}
}

// setPreviews sets which branches are built; an empty setting is omitted from responses.
func setPreviews(project obj, setting string) {
	source, _ := project["source"].(obj)
	config, _ := source["config"].(obj)
	if config["preview_deployment_setting"] = setting; setting == "" {
		delete(config, "preview_deployment_setting")
	}
}

func listProjects(c *call) answer { return listOf(c, c.acct.projects) }

// listPreviews lists the newest deployment when it is a preview.
func listPreviews(c *call) answer {
	i := byKey(c.acct.projects, "name", c.id("project_name"))
	if i < 0 {
		return noProject()
	}
	var out []obj
	if newest, _ := c.acct.projects[i]["latest_deployment"].(obj); newest["environment"] == "preview" {
		out = append(out, newest)
	}
	return listOf(c, out)
}
