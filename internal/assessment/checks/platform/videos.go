package platform

import (
	"fmt"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// videos finds videos that anyone may watch and embed. If other videos of the account require a
// signature, an open one is probably an oversight; if none does, it may be intended.
func videos() check.Check {
	return check.Check{
		ID: "CFL-STREAM-001", Title: "Videos demand signed URLs or name their sites",
		Category: "storage", Severity: posture.Low, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "A video of Stream can be watched by anyone with its id, and shown on any site, unless it requires signed URLs or has " +
			"allowed origins.",
		Fix: "Turn on Require signed URLs for videos that are not for everyone, and enter the allowed origins of the others.",
		Words: posture.Words{
			Problem:   "Videos of this account can be watched and embedded by anyone",
			Impact:    "Recordings that were meant for some are passed on by their address, and other sites show them at your cost.",
			Breaks:    "Players without a signed URL, and pages of sites that are not in the list, no longer show the video.",
			Dashboard: "Stream › Videos › the video › Settings: Require signed URLs, or Allowed origins.",
		},
		References: []string{"https://developers.cloudflare.com/stream/viewing-videos/securing-your-stream/"},
		Controls: check.Controls{
			check.Supports("cis 3.3", "Videos that are not public take a signature."),
			check.Supports("soc2 CC6.1", "Watching a private video takes a grant."),
			check.Supports("nist PR.DS-01", "Stored recordings have no public address by oversight."),
		},
		Needs:    []snapshot.Named{snapshot.StreamVideos},
		Evaluate: evaluateVideos,
	}
}

func video(id string, signed bool, origins int) snapshot.StreamVideo {
	return snapshot.StreamVideo{ID: id, Signed: &signed, Origins: origins}
}

func shows(all ...snapshot.StreamVideo) func(*snapshot.Builder) {
	return put(snapshot.StreamVideos, all)
}

func videosGood(b *snapshot.Builder) { shows(video("w1", true, 0), video("w2", false, 1))(b) }

func videosExamples() []goodtest.Example {
	var many []snapshot.StreamVideo
	for i := range snapshot.NewestVideos {
		many = append(many, video(fmt.Sprintf("w%04d", i), true, 0))
	}
	return []goodtest.Example{
		{Name: "signed, or for one site", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "all open", Want: posture.Warning, Resource: goodtest.Account, Edit: shows(video("w1", false, 0), video("w2", false, 0))},
		{Name: "one open beside signed ones", Want: posture.Fail, Resource: goodtest.Account,
			Edit: shows(video("w1", true, 0), video("w2", false, 0))},
		{Name: "one open beside one for some sites", Want: posture.Warning, Edit: shows(video("w1", false, 2), video("w2", false, 0))},
		{Name: "signed and for some sites", Want: posture.Pass, Edit: shows(video("w1", true, 2))},
		{Name: "not told", Want: posture.Unknown, Edit: shows(snapshot.StreamVideo{ID: "w1"})},
		{Name: "more videos than are read", Want: posture.Unknown, Edit: shows(many...)},
		{Name: "more videos than are read, and an open one", Want: posture.Fail, Edit: shows(append(many, video("open", false, 0))...)},
		{Name: "no video", Want: posture.NotApplicable, Edit: shows()},
		{Name: "not part of the plan", Want: posture.NotApplicable, Edit: func(b *snapshot.Builder) {
			b.Mark(snapshot.StreamVideos.Source(), snapshot.NotEntitled, "", "")
		}},
		{Name: "not readable", Want: posture.Unknown, Edit: goodtest.Denied(snapshot.StreamVideos)},
	}
}

func evaluateVideos(v *check.View) check.Outcome {
	all := check.Read(v, snapshot.StreamVideos)
	signs := false
	for _, x := range all {
		signs = signs || x.Signed != nil && *x.Signed
	}
	var t check.Tally
	for _, x := range all {
		row := check.Evidence(snapshot.StreamVideos, "/"+x.ID, "no signature, any site", "signed URLs, or allowed origins")
		switch {
		case x.Origins > 0 || x.Signed != nil && *x.Signed:
			t.Pass()
		case x.Signed == nil:
			t.Unknown("Cloudflare does not tell whether the video " + x.ID + " requires signed URLs")
		case signs:
			t.Fail(x.ID, x.ID, row)
		default:
			t.Warn(x.ID, x.ID, row)
		}
	}
	if len(all) >= snapshot.NewestVideos {
		t.Unknown(fmt.Sprintf("only the newest %d videos were read, and each of them demands a signature or names its sites", len(all)))
	}
	return t.Done(v, check.Said{None: "the account has no video", Fail: "Other videos require signed URLs, and anyone can watch these",
		Warn: "Anyone can watch these videos, and show them on any site",
		Pass: "Each video demands a signature or names its sites."})
}
