package dns

import (
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/core/change"
)

const recordPath = "/zones/{zone_id}/dns_records/{id}"

// record returns the live record of the finding and where it is read.
func record(c *propose.Case) (change.Place, map[string]any, error) {
	place := change.Place{Path: c.Path(recordPath)}
	live, err := c.Locate(place)
	return place, live, err
}

// deletion deletes a record. Undo makes it again with all that can be sent; a type
// whose content the API builds out of data gets the data alone, see
// https://developers.cloudflare.com/api/resources/dns/subresources/records/methods/create/.
func deletion(c *propose.Case, place change.Place, live map[string]any) ([]change.Edit, error) {
	if meta, _ := live["meta"].(map[string]any); propose.Flag(meta, "read_only") {
		return nil, propose.Refuse("The record is managed by another product of the provider and is removed there.")
	}
	members := map[string]any{}
	for _, name := range []string{"type", "name", "content", "data", "priority", "ttl", "proxied", "settings", "comment", "tags"} {
		if live[name] != nil && (name != "content" || live["data"] == nil) {
			members[name] = live[name]
		}
	}
	collection := c.Path("/zones/{zone_id}/dns_records")
	again := change.Place{Path: propose.RecordsPath(c.Finding.Resource.ZoneID, propose.Text(live, "type"), propose.Text(live, "name")),
		Match: map[string]any{"type": live["type"], "name": live["name"], "content": live["content"]}}
	return []change.Edit{propose.Delete(place, again, place.Path, collection, live, members)}, nil
}

// servesOthers reports whether a record of mail, delegation or service points to a
// name, which must then answer with its own address.
func servesOthers(c *propose.Case, name string) (bool, error) {
	var waiting error
	for _, kind := range []string{"MX", "NS", "SRV"} {
		all, err := c.Records(c.Finding.Resource.ZoneID, kind, "")
		if propose.Waits(err) {
			waiting = err
			continue
		}
		if err != nil {
			return false, err
		}
		if slices.ContainsFunc(all, func(r map[string]any) bool { return canonical(lastWord(propose.Text(r, "content"))) == canonical(name) }) {
			return true, nil
		}
	}
	return false, waiting
}
