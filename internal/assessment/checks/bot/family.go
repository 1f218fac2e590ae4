// Package bot holds the checks of automated traffic.
package bot

import (
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// config is an example edit of the bot configuration.
func config(change func(*snapshot.BotManagement)) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		snapshot.Edit(b, snapshot.ZoneBotManagement, goodtest.Zone, change)
	}
}

const configPath = "/zones/{zone_id}/bot_management"

// proposeMember proposes a value for one member of the bot configuration; the provider keeps
// members that are not sent. Values in fine are at least as good. A member that is not returned
// cannot be restored, because its old value is not known.
func proposeMember(name string, want any, fine ...any) propose.Proposal {
	return func(c *propose.Case) ([]change.Edit, error) {
		place := change.Place{Path: c.Path(configPath)}
		live, err := c.Locate(place)
		switch {
		case err != nil:
			return nil, err
		case live[name] == nil:
			return nil, propose.Refuse("Cloudflare does not return %s for this zone, so the old state could not be put back; choose it by hand.",
				name)
		case slices.ContainsFunc(append(fine, want), func(v any) bool { return change.Holds(live[name], v) }):
			return nil, nil
		}
		return []change.Edit{propose.Patch("PUT", place, place.Path, live, map[string]any{name: want})}, nil
	}
}
