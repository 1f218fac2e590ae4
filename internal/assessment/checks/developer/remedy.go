package developer

import (
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// lookedThrough bounds how many scripts and how many zones are searched for callers of a platform
// hostname; each costs one request.
const lookedThrough = 100

// proposeSwitchOff disables the platform hostname of a script and of its versions, provided that
// nothing in the account was found to call it there.
func proposeSwitchOff(c *propose.Case) ([]change.Edit, error) {
	place, live, err := c.At("/accounts/{account_id}/workers/scripts/{id}/subdomain")
	if err != nil {
		return nil, err
	}
	enabled, previews := propose.Flag(live, "enabled"), propose.Flag(live, "previews_enabled")
	switch {
	case live == nil || !enabled && !previews:
		return nil, nil
	case enabled && c.Finding.Result == posture.Warning:
		return nil, propose.Refuse("The script has no other address, or asks for a login at this one, so closing it takes the script off the " +
			"net; give it a route, declare it public, or switch off its preview URLs alone.")
	}
	caller, err := callerOf(c)
	if err != nil {
		return nil, err
	}
	if caller != "" {
		return nil, propose.Refuse("%s names the platform hostname of the script, which would stop to answer; move that caller first.", caller)
	}
	e := propose.Patch("POST", place, place.Path, live, map[string]any{"enabled": false, "previews_enabled": false})
	return []change.Edit{e}, nil
}

// callerOf returns a DNS record or another script of the account that contains the platform
// hostname of the script, "" when there is none.
func callerOf(c *propose.Case) (string, error) {
	script := strings.ToLower(c.Finding.Resource.Name)
	zones, err := c.OwnZones()
	if err != nil {
		return "", err
	}
	scripts, err := c.List(c.Path("/accounts/{account_id}/workers/scripts"))
	if err != nil {
		return "", err
	}
	if len(zones) > lookedThrough || len(scripts) > lookedThrough {
		return "", propose.Refuse("The account has more than %d zones or scripts, too many to be searched for callers of the platform hostname; "+
			"look for them by hand.", lookedThrough)
	}
	var waiting error // missing reads are requested together
	for _, z := range zones {
		aliases, err := c.Records(propose.Text(z, "id"), "CNAME", "")
		if propose.Waits(err) {
			waiting = err
			continue
		}
		if err != nil {
			return "", err
		}
		for _, r := range aliases {
			if named(propose.Text(r, "content"), script) {
				return "The record " + propose.Text(r, "name"), nil
			}
		}
	}
	for _, s := range scripts {
		id := propose.Text(s, "id")
		if id == c.Finding.Resource.ID {
			continue
		}
		settings, err := c.Locate(change.Place{Path: c.Path("/accounts/{account_id}/workers/scripts/{script}/settings", "script", id)})
		if propose.Waits(err) {
			waiting = err
			continue
		}
		if err != nil {
			return "", err
		}
		if named(string(change.Encode(settings["bindings"])), script) {
			return "The script " + id, nil
		}
	}
	return "", waiting
}

// named reports whether a text contains <script>.<something>.workers.dev.
func named(text, script string) bool {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return r != '.' && r != '-' && r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z')
	})
	return slices.ContainsFunc(words, func(w string) bool {
		w = strings.Trim(w, ".")
		return strings.HasPrefix(w, script+".") && strings.HasSuffix(w, ".workers.dev")
	})
}
