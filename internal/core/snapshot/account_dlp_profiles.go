package snapshot

// DLPProfiles holds the kinds of sensitive data that DLP can detect.
const DLPProfiles Key[[]DLPProfile] = "account/dlp_profiles"

// DLPProfile describes a kind of sensitive data. One that is idle detects nothing: it is predefined, and none
// of its detection entries is enabled.
type DLPProfile struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Type string `json:"type"`
	Idle bool   `json:"idle,omitempty"`
}

type dlpProfileWire struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Type    string `json:"type"`
	Entries []struct {
		Enabled *bool `json:"enabled"`
	} `json:"entries"`
}

// SortKey orders profiles by id.
func (p DLPProfile) SortKey() string { return p.ID }

// accountDLPProfiles lists the kinds of sensitive data that DLP can detect; their patterns are
// dropped
// (developers.cloudflare.com/api/resources/zero_trust/subresources/dlp/subresources/profiles/methods/list/).
func accountDLPProfiles() Source {
	return list(DLPProfiles, Source{
		Path: "/accounts/{account_id}/dlp/profiles", Permission: permissionZeroTrust,
		Example: `[{"id":"p1","name":"Financial information","type":"predefined","allowed_match_count":0,"entries":[{"id":"e1","name":"drop",` +
			`"enabled":true,"pattern":{"regex":"drop"}}]}]`,
	}, func(w dlpProfileWire) DLPProfile {
		p := DLPProfile{ID: w.ID, Name: w.Name, Type: w.Type, Idle: w.Type == "predefined" && len(w.Entries) > 0}
		for _, e := range w.Entries {
			p.Idle = p.Idle && e.Enabled != nil && !*e.Enabled
		}
		return p
	})
}
