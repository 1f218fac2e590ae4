package device

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

const profilesAt = "Zero Trust › Team & Resources › Devices › Device profiles › General profiles › the profile › Edit: "

// profileCall sets members of the profile at a path. Several profiles must be set one by one. The Terraform of checks is for the
// default profile.
func profileCall(paths []string, body string) posture.Words {
	if len(paths) != 1 {
		return posture.Words{ByHand: true}
	}
	return posture.Words{Call: posture.Call{Method: "PATCH", Path: paths[0], Body: body},
		ByHand: paths[0] != check.ProfilePath(snapshot.DeviceProfile{Default: true})}
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
