// Package bot holds the checks of automated traffic.
package bot

import (
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
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
		place, live, err := c.At(configPath)
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

// botMode is the phase in which Super Bot Fight Mode acts.
const botMode = "http_request_sbfm"

// metByMode judges requests, named by which, that Super Bot Fight Mode meets with an action, unless
// a skip rule takes all of them past it.
func metByMode(v *check.View, which, action string) check.Outcome {
	lanes := traffic.Reaching(check.Lanes(v, traffic.Firewall(traffic.CustomRules), v.Zone()))
	var by traffic.Act
	var doubt *traffic.Doubt
	skipped := traffic.Cover(lanes, func(f traffic.Flow) truth.Value {
		skip, found := f.Skipped[botMode]
		switch {
		case found && (skip.Sure || skip.Late):
			by = skip
			return truth.Yes
		case len(f.Doubts) > 0:
			doubt = &f.Doubts[0]
			return truth.Undecided
		}
		return truth.If(!found, false)
	}).All
	switch {
	case skipped == truth.Yes:
		return v.Fail("The rule "+by.By.Name+" skips Super Bot Fight Mode for every request to "+v.Zone().Name+".",
			check.Evidence(by.By.Source, by.By.Pointer, "skips "+botMode+" for everyone", "no such rule")).
			As(posture.Words{ByHand: true, Problem: "A skip rule keeps Super Bot Fight Mode from {zone}",
				Breaks:    "Clients that the skip rule was made for may be blocked.",
				Dashboard: "Security › Security rules: turn the skip rule off, or limit it to the requests that need the exception."})
	case skipped == truth.Undecided && doubt != nil:
		return v.Doubtful(*doubt)
	case skipped == truth.Undecided:
		return v.Unknown("whether a rule skips Super Bot Fight Mode for every request is not known")
	}
	return v.Pass("Requests that are %s automated meet the action %s.", which, action)
}
