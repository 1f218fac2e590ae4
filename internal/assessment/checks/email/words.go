package email

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/mailauth"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// rewriteText returns the call that changes the text of a TXT record with a jq program from text to
// text. It contains no text of the zone.
func rewriteText(id, program string) posture.Call {
	path := "/zones/{zone_id}/dns_records/" + url.PathEscape(id)
	return posture.Call{Method: "PATCH", Path: path, From: path,
		Body: `{content: ("\"" + (.result.content | gsub("\" *\""; "") | gsub("\""; "") | ` + program + `) + "\"")}`}
}

// withPolicy returns the jq program that gives a DMARC record a policy and removes what weakens it.
func withPolicy(p mailauth.DMARC) (program, choose string) {
	target := strings.ToLower(p.Policy)
	if mailauth.Strictness(target) < 1 {
		target = "quarantine"
	}
	gone := "v|p|pct|t"
	for _, below := range []struct{ tag, policy string }{{"sp", p.Subdomains}, {"np", p.Missing}} {
		if below.policy != "" && mailauth.Strictness(below.policy) < mailauth.Strictness(target) {
			gone += "|" + below.tag
		}
	}
	reports := ""
	if !p.Reported() {
		gone += "|rua"
		reports, choose = `"rua=mailto:{$MAILBOX}@{zone}"`, "MAILBOX: the mailbox of the domain that takes reports (such as dmarc)"
	}
	return fmt.Sprintf(`split(";") | map(gsub("^ +| +$"; "")) | map(select(. != "" and (test("^(%s) *="; "i") | not))) | `+
		`["v=DMARC1", "p=%s"] + . + [%s] | join("; ")`, gone, target, reports), choose
}

// quoted returns a TXT content as a JSON string.
func quoted(text string) string {
	out, err := json.Marshal(`"` + text + `"`)
	if err != nil { // marshalling a string never fails
		return ""
	}
	return string(out)
}
