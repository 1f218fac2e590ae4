package device

import (
	"slices"
	"strings"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// connected finds the emergency switch that disconnects every device.
func connected() check.Check {
	return check.Check{
		ID: "CFL-DEVICE-006", Title: "No global disconnect is active",
		Category: "posture", Severity: posture.High, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "The global disconnect turns the device client off on every device of the organization. Device traffic " +
			"then goes to the internet past Gateway.",
		Fix: "Confirm with a second person that the incident is over, then turn the global disconnect off.",
		Words: posture.Words{
			Problem: "All devices of this account are disconnected",
			Impact: "Devices browse without Gateway policies, so anyone who controls a site or network can attack them " +
				"unseen.",
			Breaks: "Devices reconnect at once; when the outage that was the reason is not over, they lose their network.",
			Dashboard: "Zero Trust › Team & Resources › Devices › Management › Disconnect the Cloudflare One Client on all " +
				"devices: Off.",
			Call: posture.Call{Method: "POST", Path: "/accounts/{account_id}/devices/resilience/disconnect",
				Body: `{"disconnect": false}`},
		},
		References: []string{"https://developers.cloudflare.com/cloudflare-one/"},
		Controls: check.Controls{
			check.Touches("cis 4.1", "The switch is for emergencies and not part of a baseline."),
			check.Supports("soc2 CC6.8", "Devices keep the filter that stops malicious software."),
			check.Supports("pci 10.7.2", "A control that was switched off for everybody does not stay unnoticed."),
			check.Supports("nist PR.PS-01", "The device client is back at its normal configuration."),
		},
		Remedy: &propose.Remedy{Operation: "POST /accounts/{account_id}/devices/resilience/disconnect", Risk: "high", Reversible: true,
			Body:    `{"disconnect": false}`,
			Inverse: `POST {"disconnect": true}`,
			Caution: "All devices connect again. Ask a second person first: the switch may have been set because of an outage that " +
				"still goes on.",
			Inputs: []change.Input{{Name: "confirmedBy", Example: `"second.person@example.com"`,
				Description: "Mail address of a second person, a member of the account, who confirmed that the outage is over."}},
			Propose: proposeConnection},
		Needs:    []snapshot.Named{snapshot.DeviceOverride, snapshot.AccessApps, snapshot.DevicePolicies},
		Unless:   notManaged,
		Evaluate: evaluateConnected,
	}
}

func connectedExamples() []goodtest.Example {
	on, off := true, false
	set := func(now *bool, hours int) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.DeviceOverride, goodtest.Account, snapshot.DeviceDisconnect{Disconnect: now,
				Timestamp: snapshot.At(goodtest.Now().Add(-time.Duration(hours) * time.Hour))})
		}
	}
	return []goodtest.Example{
		{Name: "never used", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "cleared two days ago", Want: posture.Pass, Edit: set(&off, 48)},
		{Name: "set", Want: posture.Fail, Resource: goodtest.Account, Edit: set(&on, 2)},
		{Name: "set long ago", Want: posture.Fail, Edit: set(&on, 900)},
		{Name: "cleared this morning", Want: posture.Warning, Resource: goodtest.Account, Edit: set(&off, 3)},
		{Name: "the switch is not told", Want: posture.Unknown, Resource: goodtest.Account, Edit: set(nil, 48)},
		{Name: "no device is managed", Want: posture.NotApplicable, Edit: goodtest.Edits(goodtest.Unmanaged, set(&on, 2))},
	}
}

func evaluateConnected(v *check.View) check.Outcome {
	o := check.Read(v, snapshot.DeviceOverride)
	seen := check.Evidence(snapshot.DeviceOverride, "/disconnect", "true", "false")
	switch {
	case o.Disconnect == nil:
		return v.Unknown("Cloudflare did not say whether devices are disconnected")
	case *o.Disconnect:
		return v.Fail("The global disconnect is on: no device sends its traffic through Cloudflare.", seen)
	case !o.Timestamp.IsZero() && v.Now().Sub(o.Timestamp.Time) <= 24*time.Hour:
		seen = check.Evidence(snapshot.DeviceOverride, "/timestamp", o.Timestamp.Format(time.RFC3339), "more than a day ago")
		return v.Warn("The global disconnect was turned off on "+o.Timestamp.Format("2 January 2006 at 15:04 MST")+
			", less than a day ago.", seen).
			As(posture.Words{Problem: "All devices of this account were disconnected within a day", ByHand: true,
				Impact:    "What devices did while they were disconnected passed no Gateway policy and left no log.",
				Breaks:    "Nothing; the finding closes by itself a day after the switch was turned off.",
				Dashboard: "Zero Trust › Team & Resources › Devices › Your devices: check that the devices have reconnected."})
	}
	return v.Pass("The global disconnect is off.")
}

// proposeConnection lets the devices connect again. The switch may be set because of an ongoing
// outage, so an accepted member of the account must confirm it.
func proposeConnection(c *propose.Case) ([]change.Edit, error) {
	place, live, err := c.At("/accounts/{account_id}/devices/resilience/disconnect")
	switch {
	case err != nil:
		return nil, err
	case live["disconnect"] == false:
		// The remaining finding is about a time limit that has yet to pass.
		return nil, propose.Refuse("The devices may connect already; the finding closes by itself a day after the switch was cleared.")
	case live["disconnect"] != true:
		return nil, propose.Refuse("Cloudflare does not say whether devices are disconnected.")
	}
	var by string
	if err := c.Input("confirmedBy", &by); err != nil {
		return nil, err
	}
	members, err := c.List(c.Path("/accounts/{account_id}/members"))
	if err != nil {
		return nil, err
	}
	if by == "" || !slices.ContainsFunc(members, func(m map[string]any) bool {
		return propose.Text(m, "status") == "accepted" && strings.EqualFold(propose.Text(m, "email"), by)
	}) {
		return nil, propose.Refuse("Whoever confirms that the devices may connect again must be an accepted member of the account.")
	}
	return []change.Edit{propose.Patch("POST", place, place.Path, live, map[string]any{"disconnect": false})}, nil
}
