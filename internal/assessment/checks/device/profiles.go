package device

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

const profilesAt = "Zero Trust › Team & Resources › Devices › Device profiles › General profiles › the profile › Edit: "

// ofProfile is an enabled profile with its source.
type ofProfile struct {
	snapshot.DeviceProfile
	source snapshot.Named
}

// profiles lists the enabled profiles, the default one first.
func profiles(v *check.View) []ofProfile {
	out := []ofProfile{}
	if p := check.Read(v, snapshot.DevicePolicy); p.Enabled {
		out = append(out, ofProfile{p, snapshot.DevicePolicy})
	}
	for _, p := range check.Read(v, snapshot.DevicePolicies) {
		if p.Enabled && !p.Default {
			out = append(out, ofProfile{p, snapshot.DevicePolicies})
		}
	}
	return out
}

func (p ofProfile) seen(member, observed, expected string) posture.Evidence {
	return check.Evidence(p.source, "/"+p.ID+"/"+member, p.Name+": "+observed, expected)
}

// profileCall sets members of the profile at a path. Several profiles must be set one by one.
func profileCall(paths []string, body string) posture.Words {
	if len(paths) != 1 {
		return posture.Words{ByHand: true}
	}
	return posture.Words{Call: posture.Call{Method: "PATCH", Path: paths[0], Body: body}}
}

// editDefault and editCustom are example edits of the two profiles.
func editDefault(change func(*snapshot.DeviceProfile)) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) { snapshot.Edit(b, snapshot.DevicePolicy, goodtest.Account, change) }
}

func editCustom(change func(*snapshot.DeviceProfile)) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		snapshot.Edit(b, snapshot.DevicePolicies, goodtest.Account, func(ps *[]snapshot.DeviceProfile) { change(&(*ps)[0]) })
	}
}
