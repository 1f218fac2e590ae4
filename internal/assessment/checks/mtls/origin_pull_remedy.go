package mtls

import (
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// proposePull makes the edge present a certificate to origins. The shared one is better than
// nothing; anything stronger needs an own certificate, which only a person can upload.
func proposePull(c *propose.Case) ([]change.Edit, error) {
	place, live, err := c.At("/zones/{zone_id}/origin_tls_client_auth/settings")
	if err != nil {
		return nil, err
	}
	mode, err := c.Value("ssl")
	if err != nil {
		return nil, err
	}
	certificates, err := c.List(c.Path("/zones/{zone_id}/origin_tls_client_auth"))
	if err != nil {
		return nil, err
	}
	own := slices.ContainsFunc(certificates, func(o map[string]any) bool { return propose.Text(o, "status") == "active" })
	on := propose.Flag(live, "enabled")
	switch {
	case mode == nil || mode == "off" || mode == "flexible":
		return nil, propose.Refuse("The edge does not speak TLS to the origins while the mode is off or flexible, so it can show no " +
			"certificate; raise the mode first.")
	case on && own:
		if source, rule := c.Cause(); source == snapshot.ZonePhaseConfig.Source() || source == snapshot.ZonePageRules.Source() {
			return nil, propose.Refuse("The edge shows its own certificate wherever it speaks TLS; the rule that the finding names (id %s) takes "+
				"TLS away from some requests. Change or delete that rule.", rule)
		}
		return nil, nil
	case on, !own && c.Finding.Result != posture.Fail:
		return nil, propose.Refuse("More needs an own certificate for the whole zone; upload one and demand it at the servers by hand.")
	}
	return []change.Edit{propose.Patch("PUT", place, place.Path, live, map[string]any{"enabled": true})}, nil
}
