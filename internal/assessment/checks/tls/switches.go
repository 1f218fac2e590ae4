package tls

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// judgeSwitch judges a zone setting that must be on or off.
func judgeSwitch(v *check.View, id, want, message string) check.Outcome {
	value, ok := check.Read(v, snapshot.ZoneSettings).Text(id)
	switch {
	case !ok:
		return v.Unknown("the provider did not return the setting " + id)
	case value == want:
		return v.Pass("The setting %s is %s.", id, want)
	case value == "on" || value == "off":
		return v.Fail(message, check.Evidence(snapshot.ZoneSettings, "/"+id, value, want))
	default:
		return v.Unknown(id + " has a value this check does not know: " + value)
	}
}

func switchExamples(id, want, bad string) []goodtest.Example {
	return []goodtest.Example{
		{Name: want, Want: posture.Pass, Resource: goodtest.Zone, Edit: goodtest.Setting(id, want)},
		{Name: bad, Want: posture.Fail, Resource: goodtest.Zone, Edit: goodtest.Setting(id, bad)},
		{Name: "a value nobody knows", Want: posture.Unknown, Edit: goodtest.Setting(id, "half")},
		{Name: "not returned", Want: posture.Unknown, Edit: goodtest.MissingSetting(id)},
		{Name: "no proxied record", Want: posture.NotApplicable, Edit: goodtest.Edits(goodtest.Setting(id, bad), goodtest.NotProxied())},
	}
}

func switchNeeds(settings ...snapshot.Named) []snapshot.Named {
	return append(settings, snapshot.ZoneDNSRecords, snapshot.ZoneList)
}
