package account

import (
	"fmt"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// invitations finds invitations that have not been accepted. Only a proven age fails: an invitation
// whose event was not found or not read may be new.
func invitations() check.Check {
	return check.Check{
		ID: "CFL-ACC-011", Title: "No invitation stays open",
		Category: "account", Severity: posture.Low, Resource: posture.ResourceMember, Scope: check.PerAccount,
		Why: "An invitation can be accepted by whoever reads the mailbox it was sent to, months later.",
		Fix: "Revoke the invitation and send a new one when the person needs it.",
		Words: posture.Words{
			Problem:   "The invitation of {name} to this account is open",
			Impact:    "Someone who gets into that mailbox joins the account with the roles of the invitation.",
			Breaks:    "The person needs a new invitation to join.",
			Dashboard: "Manage Account › Members › {name} › Revoke invitation.",
			Call:      posture.Call{Method: "DELETE", Path: "/accounts/{account_id}/members/{id}"},
		},
		References: []string{"https://developers.cloudflare.com/fundamentals/manage-members/roles/"},
		Controls: check.Controls{
			check.Supports("cis 5.3", "An invitation nobody took up is an account nobody uses."),
			check.Supports("soc2 CC6.2", "Registration of a member is finished or withdrawn."),
			check.Touches("pci 7.2.4", "An open invitation would stand out in a review; this is not the review."),
			check.Supports("pci 8.2.5", "Somebody who left before accepting cannot accept later."),
			check.Supports("nist PR.AA-01", "Identities that were never taken up are removed."),
		},
		Remedy: &propose.Remedy{Operation: "DELETE /accounts/{account_id}/members/{member_id}", Risk: "low",
			Body:    "none",
			Inverse: "re-invite the address with the captured roles",
			Caution: "The invitation link stops working. Somebody who has accepted in the meantime keeps access.",
			Propose: proposeRevocation},
		Needs:    []snapshot.Named{snapshot.AccountMembers},
		Optional: []snapshot.Named{snapshot.AccountAuditLogMembers},
		Evaluate: evaluateInvitations,
	}
}

func invitationsExamples() []goodtest.Example {
	pending := members("m2", func(m *snapshot.Member) { m.Status = "pending" })
	event := func(id string, days int) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.AccountAuditLogMembers, goodtest.Account,
				[]snapshot.Invitation{{MemberID: id, At: snapshot.At(goodtest.Now().AddDate(0, 0, -days))}})
		}
	}
	return []goodtest.Example{
		{Name: "everyone accepted", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "15 days old", Want: posture.Fail, Resource: "m2", Edit: goodtest.Edits(pending, event("m2", 15))},
		{Name: "exactly 14 days old", Want: posture.Warning, Resource: "m2", Edit: goodtest.Edits(pending, event("m2", 14))},
		{Name: "no event was found", Want: posture.Warning, Resource: "m2", Edit: pending},
		{Name: "the event of another member proves nothing", Want: posture.Warning, Resource: "m2",
			Edit: goodtest.Edits(pending, event("m1", 60))},
		{Name: "the audit log is not readable", Want: posture.Warning, Resource: "m2",
			Edit: goodtest.Edits(pending, goodtest.Denied(snapshot.AccountAuditLogMembers))},
	}
}

func evaluateInvitations(v *check.View) check.Outcome {
	j := v.Judge()
	for _, m := range check.Read(v, snapshot.AccountMembers) {
		r := posture.Resource{Type: posture.ResourceMember, ID: m.ID, Name: m.Email}
		switch m.Status {
		case "pending":
		case "accepted", "rejected":
			j.Pass()
			continue
		default:
			j.Unclear(r, "the membership of "+m.Email+" has a status this check does not know: "+m.Status)
			continue
		}
		status := check.Evidence(snapshot.AccountMembers, "/"+m.ID+"/status", "pending", "accepted")
		events, read := check.ReadOptional(v, snapshot.AccountAuditLogMembers)
		var oldest snapshot.Time
		for _, e := range events {
			if e.MemberID == m.ID && !e.At.IsZero() && (oldest.IsZero() || e.At.Before(oldest.Time)) {
				oldest = e.At
			}
		}
		since := check.Evidence(snapshot.AccountAuditLogMembers, "/"+m.ID+"/at", oldest.Format(time.RFC3339),
			fmt.Sprintf("within %d days", v.Policy.InviteDays))
		switch {
		case !read:
			j.Warn(r, "The invitation of "+m.Email+" is open; whether it is old is not known, because the audit log could not be read.", status)
			j.Provisional()
		case oldest.IsZero():
			j.Warn(r, "The invitation of "+m.Email+" is open; its age is not known.", status)
		case v.Now().Sub(oldest.Time) > time.Duration(v.Policy.InviteDays)*24*time.Hour:
			j.Fail(r, "The invitation of "+m.Email+" is open since "+check.Day(oldest)+".", status, since)
		default:
			j.Warn(r, "The invitation of "+m.Email+" of "+check.Day(oldest)+" is open.", status, since)
		}
	}
	return j.Done("No invitation is open.", "the account has no members")
}

// proposeRevocation revokes an invitation. Only the status is shown and compared, because a plan
// must not contain a mail address.
func proposeRevocation(c *propose.Case) ([]change.Edit, error) {
	place, live, err := c.At("/accounts/{account_id}/members/{id}")
	switch {
	case err != nil:
		return nil, err
	case live == nil || propose.Text(live, "status") == "accepted":
		return nil, nil
	case propose.Text(live, "status") != "pending":
		return nil, propose.Refuse("The member has the status %s, and only an invitation that is pending is taken back.",
			propose.Text(live, "status"))
	}
	shown := map[string]any{"id": live["id"], "status": live["status"]}
	return []change.Edit{propose.Delete(place, place, place.Path, "", shown, nil)}, nil
}
