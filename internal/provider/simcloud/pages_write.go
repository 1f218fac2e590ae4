package simcloud

import "net/http"

func noProject() answer { return refuse(http.StatusNotFound, 8000007, "Project not found.") }

func readProject(c *call) answer {
	if i := byKey(c.acct.projects, "name", c.id("project_name")); i >= 0 {
		return ok(c.acct.projects[i])
	}
	return noProject()
}

// patchProject merges the request member by member; a null member is removed, see
// https://developers.cloudflare.com/api/resources/pages/subresources/projects/methods/edit/.
func patchProject(c *call) answer {
	i := byKey(c.acct.projects, "name", c.id("project_name"))
	if i < 0 {
		return noProject()
	}
	sent, valid := c.sent()
	if !valid {
		return badBody()
	}
	old := c.acct.projects[i]
	sent = pick(sent, old, "preview_branch")
	configs, _ := sent["deployment_configs"].(obj)
	if !fits(old, sent) {
		return refuse(http.StatusBadRequest, 8000000, "A member has the wrong type.")
	}
	for name, config := range configs {
		members, isObject := config.(obj)
		known := projectConfig(old, name)
		if known == nil || !isObject || !fits(known, members) {
			return refuse(http.StatusBadRequest, 8000000, "deployment_configs takes production and preview, with members of the right type.")
		}
	}
	c.acct.projects[i] = deepMerged(old, sent, "id", "subdomain", "domains", "created_on", "latest_deployment", "canonical_deployment",
		"uses_functions")
	return ok(c.acct.projects[i])
}

func noPageRule() answer { return refuse(http.StatusNotFound, 1002, "Page Rule not found") }

func readPageRule(c *call) answer { return c.one(c.zone.pageRules, "pagerule_id", noPageRule()) }

// patchPageRule replaces each member in the request as a whole.
func patchPageRule(c *call) answer {
	return c.patch(c.zone.pageRules, "pagerule_id", noPageRule(), func(sent obj) *answer {
		bad := refuse(http.StatusBadRequest, 1004, "Page Rule validation failed")
		if list, given := sent["actions"]; given {
			actions := objects(list)
			for _, a := range actions {
				if asText(a["id"]) == "" {
					return &bad
				}
			}
			if len(actions) == 0 {
				return &bad
			}
		}
		if list, given := sent["targets"]; given && len(objects(list)) == 0 {
			return &bad
		}
		if status, given := sent["status"]; given && status != statusActive && status != "disabled" {
			return &bad
		}
		return nil
	})
}
