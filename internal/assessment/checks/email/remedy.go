package email

import (
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// recordTTL is how long resolvers may cache the published records, in seconds.
const recordTTL = 3600

// atApex returns the name of the zone and its TXT records at that name.
func atApex(c *propose.Case) (zone string, texts []map[string]any, err error) {
	live, err := c.Locate(change.Place{Path: c.Path("/zones/{zone_id}")})
	if err != nil {
		return "", nil, err
	}
	zone = strings.ToLower(snapshot.ASCII(propose.Text(live, "name")))
	if zone == "" || propose.Text(live, "type") == "partial" {
		return "", nil, propose.Refuse("The zone is gone, or its apex lies elsewhere.")
	}
	texts, err = c.Records(c.Finding.Resource.ZoneID, "TXT", zone)
	return zone, texts, err
}

// takesMail returns what shows that the zone receives mail, "" when nothing does. A null MX (RFC
// 7505) names no host.
func takesMail(c *propose.Case) (string, error) {
	hosts, err := c.Records(c.Finding.Resource.ZoneID, "MX", "")
	if err != nil {
		return "", err
	}
	for _, r := range hosts {
		if strings.Trim(propose.Text(r, "content"), ". ") != "" {
			return "The zone has a mail host", nil
		}
	}
	routing, err := c.Locate(change.Place{Path: c.Path("/zones/{zone_id}/email/routing")})
	if err != nil {
		return "", err
	}
	if routing != nil && routing["enabled"] != false {
		return "Email Routing is on in the zone", nil
	}
	return "", nil
}

// publish creates a TXT record that is found again by its comment.
func publish(c *propose.Case, name, text string) change.Edit {
	body := map[string]any{"type": "TXT", "name": name, "content": `"` + text + `"`, "ttl": recordTTL, "comment": c.Mark()}
	collection := c.Path("/zones/{zone_id}/dns_records")
	e := propose.Create(change.Place{Path: propose.RecordsPath(c.Finding.Resource.ZoneID, "TXT", name), Match: map[string]any{"type": "TXT",
		"name": name, "comment": c.Mark()}}, collection, body)
	body["content"] = text // some answers omit the quotes
	e.Or = change.Encode(body)
	return e
}
