package platform

import (
	"net/url"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

const docsStreams = "https://developers.cloudflare.com/pipelines/streams/manage-streams/"

// intake finds streams that accept events from anyone.
func intake() check.Check {
	return check.Check{
		ID: "CFL-PIPE-001", Title: "Pipelines take data in with authentication only",
		Category: "storage", Severity: posture.Medium, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "A stream of Pipelines has an HTTP address for events. Without authentication whoever knows the address writes " +
			"into the tables and buckets behind it.",
		Fix: "Give the senders an API token with Workers Pipeline Send, then turn on authentication for the HTTP endpoint.",
		Words: posture.Words{
			Problem:   "Pipelines of this account take data from anyone",
			Impact:    "Anyone who learns the address forges events, fills the storage at your cost and spoils what is decided on the data.",
			Breaks:    "Senders without a token are refused, pages of a site among them; let a Worker send for these.",
			Dashboard: "Storage & databases › Pipelines › Streams › the stream › Settings › HTTP endpoint: authentication on.",
		},
		References: []string{docsStreams},
		Controls: check.Controls{
			check.Supports("cis 6.1", "Only senders who were given a token may write."),
			check.Supports("soc2 CC6.1", "The intake of data asks for a credential."),
			check.Touches("pci 7.2.5", "Senders have an identity; what else they may do is not seen."),
			check.Supports("nist PR.AA-05", "Writing to the stream follows from a grant."),
		},
		Needs:    []snapshot.Named{snapshot.PipelineStreams},
		Evaluate: evaluateIntake,
	}
}

func intakeGood(b *snapshot.Builder) { streams(stream(true, true, "https://"+goodtest.Domain))(b) }

func streams(all ...snapshot.PipelineStream) func(*snapshot.Builder) {
	return put(snapshot.PipelineStreams, all)
}

func stream(http, authentication bool, origins ...string) snapshot.PipelineStream {
	return snapshot.PipelineStream{ID: "s1", Name: "clicks", HTTP: &http, Authentication: &authentication, Origins: origins}
}

func intakeExamples() []goodtest.Example {
	yes := true
	return []goodtest.Example{
		{Name: "with a token", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "from anyone", Want: posture.Fail, Resource: goodtest.Account, Edit: streams(stream(true, false))},
		{Name: "from anyone, for pages of one site", Want: posture.Fail, Edit: streams(stream(true, false, "https://"+goodtest.Domain))},
		{Name: "from Workers alone", Want: posture.Pass, Edit: streams(stream(false, false))},
		{Name: "authentication is not told", Want: posture.Unknown, Edit: streams(snapshot.PipelineStream{ID: "s1", Name: "clicks", HTTP: &yes})},
		{Name: "whether there is an address is not told", Want: posture.Unknown,
			Edit: streams(snapshot.PipelineStream{ID: "s1", Name: "clicks"})},
		{Name: "no stream", Want: posture.NotApplicable, Edit: streams()},
		{Name: "not readable", Want: posture.Unknown, Edit: goodtest.Denied(snapshot.PipelineStreams)},
	}
}

func evaluateIntake(v *check.View) check.Outcome {
	var t check.Tally
	for _, s := range check.Read(v, snapshot.PipelineStreams) {
		switch {
		case s.HTTP != nil && !*s.HTTP || s.Authentication != nil && *s.Authentication:
			t.Pass()
		case s.HTTP == nil || s.Authentication == nil:
			t.Unknown("Cloudflare does not tell who may send to the stream " + s.Name)
		default:
			t.Fail(s.Name, s.ID, check.Evidence(snapshot.PipelineStreams, "/"+s.ID+"/authentication", "false", "true"))
		}
	}
	o := t.Done(v, check.Said{None: "the account has no stream", Fail: "The HTTP endpoint of these streams asks for no authentication",
		Pass: "No stream takes events from anyone."})
	if id := t.Only(); id != "" {
		return o.As(posture.Words{Call: posture.Call{Method: "PATCH", Path: "/accounts/{account_id}/pipelines/v1/streams/" + url.PathEscape(id),
			Body: `{"http": {"enabled": true, "authentication": true}}`}})
	}
	return o
}

// anyOrigin finds streams that accept events from pages of any site.
func anyOrigin() check.Check {
	return check.Check{
		ID: "CFL-PIPE-002", Title: "Pipelines name the sites whose pages may send",
		Category: "storage", Severity: posture.Low, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "The CORS origins of a stream say whose pages a browser lets send events. The origin * lets every site send, " +
			"with the addresses of its visitors.",
		Fix: "Replace the origin * by the sites that send events, or remove the CORS origins when no page sends.",
		Words: posture.Words{
			Problem:   "Pipelines of this account accept pages of any site",
			Impact:    "The owner of any page makes its visitors send events, which no limit per address stops.",
			Breaks:    "Pages of sites that the list does not name can no longer send events.",
			Dashboard: "Storage & databases › Pipelines › Streams › the stream › Settings › HTTP endpoint: enter the CORS origins.",
		},
		References: []string{docsStreams},
		Controls: check.Controls{
			check.Supports("cis 16.11", "The browser's own means against foreign pages is used."),
			check.Supports("soc2 CC6.6", "Pages of strangers are kept from sending data."),
			check.Supports("nist PR.PS-01", "The endpoint is configured for the sites that use it."),
		},
		Needs:    []snapshot.Named{snapshot.PipelineStreams},
		Evaluate: evaluateAnyOrigin,
	}
}

func anyOriginGood(b *snapshot.Builder) { intakeGood(b) }

func anyOriginExamples() []goodtest.Example {
	yes := true
	return []goodtest.Example{
		{Name: "one site", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "any site", Want: posture.Fail, Resource: goodtest.Account, Edit: streams(stream(true, false, "*"))},
		{Name: "any site beside one", Want: posture.Fail, Edit: streams(stream(true, false, "https://"+goodtest.Domain, " * "))},
		{Name: "any site, with a token", Want: posture.Warning, Resource: goodtest.Account, Edit: streams(stream(true, true, "*"))},
		{Name: "any site of a domain", Want: posture.Pass, Edit: streams(stream(true, true, "https://*."+goodtest.Domain))},
		{Name: "no site", Want: posture.Pass, Edit: streams(stream(true, true))},
		{Name: "any site, and no address", Want: posture.Pass, Edit: streams(stream(false, false, "*"))},
		{Name: "any site, and the rest is not told", Want: posture.Unknown,
			Edit: streams(snapshot.PipelineStream{ID: "s1", Name: "clicks", Authentication: &yes, Origins: []string{"*"}})},
		{Name: "no stream", Want: posture.NotApplicable, Edit: streams()},
	}
}

func evaluateAnyOrigin(v *check.View) check.Outcome {
	var t check.Tally
	for _, s := range check.Read(v, snapshot.PipelineStreams) {
		open := false
		for _, o := range s.Origins {
			open = open || strings.TrimSpace(o) == "*"
		}
		row := check.Evidence(snapshot.PipelineStreams, "/"+s.ID+"/origins", "*", "the sites that send")
		switch {
		case !open || s.HTTP != nil && !*s.HTTP:
			t.Pass()
		case s.HTTP == nil || s.Authentication == nil:
			t.Unknown("Cloudflare does not tell who may send to the stream " + s.Name)
		case *s.Authentication:
			t.Warn(s.Name, s.ID, row)
		default:
			t.Fail(s.Name, s.ID, row)
		}
	}
	return t.Done(v, check.Said{None: "the account has no stream", Fail: "Pages of any site may send to these streams without a token",
		Warn: "Pages of any site that hold a token may send to these streams", Pass: "No stream accepts pages of any site."})
}
