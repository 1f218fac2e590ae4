package tls

import (
	"encoding/json"
	"fmt"
	"maps"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// hstsTo adds to the words of a check how to change the header: by API with a jq program over the
// setting, because members that are not sent are reset, and in Terraform as a whole.
func hstsTo(program string, header snapshot.HSTS, w posture.Words) posture.Words {
	const path = "/zones/{zone_id}/settings/security_header"
	w.Call = posture.Call{Method: "PATCH", Path: path, From: path, Body: program}
	w.Terraform = hstsBlock(header)
	return w
}

func hstsBlock(h snapshot.HSTS) string {
	return fmt.Sprintf(`resource "cloudflare_zone_setting" "hsts" {
  zone_id    = "{zone_id}"
  setting_id = "security_header"
  value = {
    strict_transport_security = {
      enabled            = true
      max_age            = %d
      include_subdomains = %t
      preload            = %t
      nosniff            = true # false if it is off
    }
  }
}`, h.MaxAge, h.IncludeSubdomains, h.Preload)
}

// hstsWords are those of a verdict on what decides: a rule, or the setting, whose other members the Terraform keeps.
func hstsWords(decides traffic.Value[snapshot.HSTS], age int, subdomains, preload bool) posture.Words {
	is := decides.Is
	return check.ByRuleWords(decides.By).Or(posture.Words{Terraform: hstsBlock(snapshot.HSTS{MaxAge: max(is.MaxAge, age),
		IncludeSubdomains: is.IncludeSubdomains || subdomains, Preload: is.Preload || preload})})
}

// liveHeader returns the setting security_header and the header in it, never nil.
func liveHeader(c *propose.Case) (place change.Place, live, header map[string]any, err error) {
	if err := propose.SettingDecides("security_header", c.Finding.Evidence); err != nil {
		return place, nil, nil, err
	}
	place = change.Place{Path: c.Path("/zones/{zone_id}/settings/security_header")}
	live, err = c.Locate(place)
	header, _ = propose.Member(live, "value.strict_transport_security").(map[string]any)
	switch {
	case err != nil:
		return place, nil, nil, err
	case header == nil:
		return place, nil, nil, propose.Refuse("Cloudflare does not return the setting security_header, so its members could not be kept.")
	case live["editable"] == false:
		return place, nil, nil, propose.Refuse("The plan of the zone does not let the setting security_header be changed.")
	}
	return place, live, header, nil
}

// seconds returns max_age, 0 when it is missing.
func seconds(header map[string]any) int64 {
	n, _ := header["max_age"].(json.Number)
	age, _ := n.Int64()
	return age
}

// sendHeader proposes the complete header, because a member that is not sent is reset.
func sendHeader(place change.Place, live, header, changed map[string]any) []change.Edit {
	written := propose.Copy(header)
	maps.Copy(written, changed)
	want := map[string]any{"value": map[string]any{"strict_transport_security": written}}
	return []change.Edit{propose.Patch("PATCH", place, place.Path, live, want)}
}

// proposeHSTS turns the header on for at least 180 days. The other members keep their values.
func proposeHSTS(c *propose.Case) ([]change.Edit, error) {
	place, live, header, err := liveHeader(c)
	if err != nil {
		return nil, err
	}
	age := seconds(header)
	if propose.Flag(header, "enabled") && age >= halfYear {
		return nil, nil
	}
	if err := speaksTLS(c, "off"); err != nil {
		return nil, err
	}
	return sendHeader(place, live, header, map[string]any{"enabled": true, "max_age": max(age, halfYear)}), nil
}

// proposeHSTSYear raises the lifetime of an enabled header.
func proposeHSTSYear(c *propose.Case) ([]change.Edit, error) {
	place, live, header, err := liveHeader(c)
	switch {
	case err != nil:
		return nil, err
	case !propose.Flag(header, "enabled"):
		return nil, propose.Refuse("HSTS is off by now; turn it on first.")
	case seconds(header) >= year:
		return nil, nil
	}
	return sendHeader(place, live, header, map[string]any{"max_age": year}), nil
}

// speaksTLS refuses a change that leads every visitor to HTTPS while the zone's mode is one of
// those given, or no certificate is active.
func speaksTLS(c *propose.Case, modes ...string) error {
	mode, err := c.Value("ssl")
	if err != nil {
		return err
	}
	for _, m := range modes {
		if mode == m {
			return propose.Refuse("The zone's encryption mode is %s, which would cause redirect loops or errors. Raise it to Full (strict) first.",
				m)
		}
	}
	certified, err := c.Certified("")
	if err != nil {
		return err
	}
	if !certified {
		return propose.Refuse("No edge certificate of the zone is active yet, so visitors would get an error; wait for one.")
	}
	return nil
}

// proposeRedirect redirects plain HTTP, unless that causes a redirect loop (CFL-SSL-001).
func proposeRedirect(c *propose.Case) ([]change.Edit, error) {
	edits, err := propose.Setting("always_use_https", "on")(c)
	if err != nil || len(edits) == 0 {
		return nil, err
	}
	if err := speaksTLS(c, "off", "flexible"); err != nil {
		return nil, err
	}
	return edits, nil
}
