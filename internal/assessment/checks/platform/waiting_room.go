package platform

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// roomCookie finds waiting rooms whose cookie is sent over plain HTTP. With auto, the default, that
// depends on Always Use HTTPS (developers.cloudflare.com/api/resources/waiting_rooms/).
func roomCookie() check.Check {
	return check.Check{
		ID: "CFL-WAIT-001", Title: "Cookies of waiting rooms are sent over TLS only",
		Category: "loadbalancing", Severity: posture.Low, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "The cookie of a Waiting Room is the visitor's place in the queue. Without the attribute Secure browsers send it over " +
			"plain HTTP as well.",
		Fix: "Set the attribute Secure of the cookie to always, or to auto where Always Use HTTPS is on.",
		Words: posture.Words{
			Problem:   "Waiting room cookies of this account travel in clear text",
			Impact:    "Someone on the way copies the cookie and takes the visitor's place in the queue.",
			Breaks:    "Visitors of plain HTTP pages lose their place.",
			Dashboard: "Traffic › Waiting Room › the room › Edit › Cookie attributes › Secure: Always.",
		},
		References: []string{"https://developers.cloudflare.com/waiting-room/reference/waiting-room-cookie/"},
		Controls: check.Controls{
			check.Supports("cis 3.10", "The cookie of the queue is sent encrypted."),
			check.Supports("soc2 CC6.7", "What stands for a visitor is not sent in clear text."),
			check.Supports("nist PR.DS-02", "The cookie is protected on the wire."),
		},
		Needs:    []snapshot.Named{snapshot.WaitingRooms, snapshot.ZoneList},
		Optional: []snapshot.Named{snapshot.ZoneSetting("always_use_https")},
		Evaluate: evaluateRoomCookie,
	}
}

func room(change func(*snapshot.WaitingRoom)) func(*snapshot.Builder) {
	r := snapshot.WaitingRoom{ID: "q1", Name: "checkout", Host: goodtest.Domain, Method: "fifo", Secure: "auto", TurnstileMode: "invisible",
		TurnstileAction: "infinite_queue"}
	change(&r)
	return put(snapshot.WaitingRooms, []snapshot.WaitingRoom{r})
}

func roomCookieGood(b *snapshot.Builder) { room(func(*snapshot.WaitingRoom) {})(b) }

func roomCookieExamples() []goodtest.Example {
	secure := func(word string) func(*snapshot.Builder) {
		return room(func(r *snapshot.WaitingRoom) { r.Secure = word })
	}
	return []goodtest.Example{
		{Name: "auto", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "auto, and HTTPS is not always used", Want: posture.Warning, Resource: goodtest.Account,
			Edit: goodtest.Setting("always_use_https", "off")},
		{Name: "always, and HTTPS is not always used", Want: posture.Pass,
			Edit: goodtest.Edits(secure("always"), goodtest.Setting("always_use_https", "off"))},
		{Name: "auto, and the setting is not told", Want: posture.Unknown, Edit: goodtest.MissingSetting("always_use_https")},
		{Name: "auto, in a zone that was not read", Want: posture.Unknown,
			Edit: room(func(r *snapshot.WaitingRoom) { r.Host = "elsewhere.example" })},
		{Name: "always", Want: posture.Pass, Edit: secure("always")},
		{Name: "never", Want: posture.Fail, Resource: goodtest.Account, Edit: secure("never")},
		{Name: "never, suspended", Want: posture.NotApplicable,
			Edit: room(func(r *snapshot.WaitingRoom) { r.Secure, r.Suspended = "never", true })},
		{Name: "not told", Want: posture.Unknown, Edit: secure("")},
		{Name: "a word nobody knows", Want: posture.Unknown, Edit: secure("sometimes")},
		{Name: "no room", Want: posture.NotApplicable, Edit: put(snapshot.WaitingRooms, []snapshot.WaitingRoom{})},
		{Name: "no plan with rooms", Want: posture.NotApplicable, Edit: func(b *snapshot.Builder) {
			b.Mark(snapshot.WaitingRooms.Source(), snapshot.Skipped, "", "no zone of the account has a plan with waiting rooms")
		}},
		{Name: "not readable", Want: posture.Unknown, Edit: goodtest.Denied(snapshot.WaitingRooms)},
	}
}

func evaluateRoomCookie(v *check.View) check.Outcome {
	var t check.Tally
	words, never := posture.Words{}, false
	for _, r := range check.Read(v, snapshot.WaitingRooms) {
		if r.Suspended { // it queues nobody
			continue
		}
		secure, known := r.Secure == "always", r.Secure == "always" || r.Secure == "never"
		if r.Secure == "auto" {
			secure, known = httpsAt(v, r.Host)
		}
		seen := check.Evidence(snapshot.WaitingRooms, "/"+r.ID+"/cookie_secure", r.Secure, "always")
		switch {
		case !known:
			t.Unknown("it is not told when the cookie of the waiting room " + r.Name + " is sent")
		case secure:
			t.Pass()
		case r.Secure == "auto":
			t.Warn(r.Name, r.ID, seen)
			words.Problem = "Waiting room cookies of this account may travel in clear text"
		default:
			never = true
			t.Fail(r.Name, r.ID, seen)
		}
	}
	if never {
		words = posture.Words{}
	}
	return t.Done(v, check.Said{None: "no waiting room is active", Fail: "The cookie of these waiting rooms is sent over plain HTTP",
		Warn: "Always Use HTTPS is off, so the cookie of these waiting rooms is sent over plain HTTP, too",
		Pass: "The cookie of every waiting room is sent over TLS only."}).As(words)
}

// httpsAt reports whether the zone of a host always uses HTTPS.
func httpsAt(v *check.View, host string) (on, known bool) {
	var zone snapshot.Zone
	for _, z := range v.Zones() {
		if exposure.Within(host, z.Name) && len(z.Name) > len(zone.Name) {
			zone = z
		}
	}
	if zone.ID == "" {
		return false, false
	}
	settings, read := check.ReadOptionalAt(v, snapshot.ZoneSettings, zone.ID)
	value, told := settings.Text("always_use_https")
	return value == "on", read && told
}

// roomBots finds waiting rooms that admit bots.
func roomBots() check.Check {
	return check.Check{
		ID: "CFL-WAIT-002", Title: "Waiting rooms test their visitors with Turnstile",
		Category: "loadbalancing", Severity: posture.Low, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "A Waiting Room gives its places to whoever asks first. Turnstile inside the room tells bots from people before a " +
			"place is given.",
		Fix: "Turn on Turnstile for the waiting room, in the invisible mode at least.",
		Words: posture.Words{
			Problem:   "Waiting rooms of this account give places to bots",
			Impact:    "A script with many sessions takes most places, and people wait for what it buys up.",
			Breaks:    "Clients that cannot run JavaScript, apps among them, may not get past the room.",
			Dashboard: "Traffic › Waiting Room › the room › Edit › Turnstile: choose a widget type.",
		},
		References: []string{"https://developers.cloudflare.com/waiting-room/reference/configuration-settings/"},
		Controls: check.Controls{
			check.Supports("cis 13.10", "Bots are told from people before they get a place."),
			check.Supports("soc2 A1.1", "Capacity goes to people."),
			check.Supports("nist PR.IR-04", "Capacity is kept for those it is for."),
		},
		Needs:    []snapshot.Named{snapshot.WaitingRooms},
		Evaluate: evaluateRoomBots,
	}
}

func roomBotsGood(b *snapshot.Builder) { roomCookieGood(b) }

func roomBotsExamples() []goodtest.Example {
	mode := func(word string) func(*snapshot.Builder) {
		return room(func(r *snapshot.WaitingRoom) { r.TurnstileMode = word })
	}
	return []goodtest.Example{
		{Name: "invisible", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "managed", Want: posture.Pass, Edit: mode("visible_managed")},
		{Name: "bots are only counted", Want: posture.Warning, Resource: goodtest.Account,
			Edit: room(func(r *snapshot.WaitingRoom) { r.TurnstileAction = "log" })},
		{Name: "off, and bots would only be counted", Want: posture.Fail,
			Edit: room(func(r *snapshot.WaitingRoom) { r.TurnstileMode, r.TurnstileAction = "off", "log" })},
		{Name: "what becomes of bots is not told", Want: posture.Unknown,
			Edit: room(func(r *snapshot.WaitingRoom) { r.TurnstileAction = "" })},
		{Name: "off", Want: posture.Fail, Resource: goodtest.Account, Edit: mode("off")},
		{Name: "off, and everyone passes", Want: posture.NotApplicable,
			Edit: room(func(r *snapshot.WaitingRoom) { r.TurnstileMode, r.Method = "off", "passthrough" })},
		{Name: "off, and nobody passes", Want: posture.NotApplicable,
			Edit: room(func(r *snapshot.WaitingRoom) { r.TurnstileMode, r.Method = "off", "reject" })},
		{Name: "off, suspended", Want: posture.NotApplicable,
			Edit: room(func(r *snapshot.WaitingRoom) { r.TurnstileMode, r.Suspended = "off", true })},
		{Name: "not told", Want: posture.Unknown, Edit: mode("")},
		{Name: "a word nobody knows", Want: posture.Unknown, Edit: mode("audio")},
		{Name: "no room", Want: posture.NotApplicable, Edit: put(snapshot.WaitingRooms, []snapshot.WaitingRoom{})},
	}
}

func evaluateRoomBots(v *check.View) check.Outcome {
	var t check.Tally
	counted, off := posture.Words{}, false
	for _, r := range check.Read(v, snapshot.WaitingRooms) {
		switch {
		case r.Suspended || r.Method == "passthrough" || r.Method == "reject": // it gives no places
		case r.TurnstileMode == "invisible" || r.TurnstileMode == "visible_non_interactive" || r.TurnstileMode == "visible_managed":
			switch r.TurnstileAction {
			case "infinite_queue":
				t.Pass()
			case "log":
				counted = posture.Words{Problem: "Waiting rooms of this account only count bots",
					Breaks: "Visitors who are taken for a bot wait without an end.",
					Dashboard: "Traffic › Waiting Room › the room › Edit › Turnstile: send bots to the infinite queue, which needs Advanced Waiting " +
						"Room."}
				t.Warn(r.Name, r.ID, check.Evidence(snapshot.WaitingRooms, "/"+r.ID+"/turnstile_action", "log", "infinite_queue"))
			default:
				t.Unknown("Cloudflare does not tell what the waiting room " + r.Name + " does with bots")
			}
		case r.TurnstileMode == "off":
			t.Fail(r.Name, r.ID, check.Evidence(snapshot.WaitingRooms, "/"+r.ID+"/turnstile_mode", "off", "a widget"))
			off = true
		default:
			t.Unknown("Cloudflare does not tell whether the waiting room " + r.Name + " tests its visitors")
		}
	}
	if off {
		counted = posture.Words{}
	}
	return t.Done(v, check.Said{None: "no waiting room queues visitors", Fail: "These waiting rooms do not tell bots from people",
		Warn: "These waiting rooms count bots and give them places all the same",
		Pass: "Every waiting room keeps bots from its places."}).As(counted)
}
