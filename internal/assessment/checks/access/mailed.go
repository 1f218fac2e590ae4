package access

import (
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// mailedLogins lists applications that accept a mailed code besides the company's login. unsure
// names one for which that is unknown. An application without a list accepts every provider, but
// its policies decide whether someone with only a code is admitted.
func mailedLogins(v *check.View, idps []snapshot.IdentityProvider) (out []posture.Evidence, unsure string) {
	access, reusable := check.AccessOf(v)
	access.Logins = &idps
	for _, a := range check.Read(v, snapshot.AccessApps) {
		takes := truth.No
		for _, p := range idps {
			accepted := len(a.AllowedIDPs) == 0 || slices.Contains(a.AllowedIDPs, p.ID)
			if p.Type == "onetimepin" && accepted && a.Type != "bookmark" {
				takes = truth.Or(takes, access.Takes(exposure.Attached(a, reusable), p.ID))
			}
		}
		switch takes {
		case truth.Yes:
			out = append(out, check.Evidence(snapshot.AccessApps, "/"+a.ID+"/allowed_idps", "one-time PIN accepted by "+a.Name,
				"the company identity provider only"))
		case truth.Undecided:
			unsure = a.Name
		}
	}
	return out, unsure
}
