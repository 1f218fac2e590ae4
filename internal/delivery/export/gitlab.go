package export

import (
	"io"
	"net/url"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// gitlabVersion is the version of the report schemas that GitLab validates against
// (gitlab.com/gitlab-org/security-products/security-report-schemas).
const gitlabVersion = "15.0.1"

// writeGitLab writes a SAST report, from which GitLab shows open findings on merge requests and in the
// list of vulnerabilities. GitLab knows a vulnerability by its first identifier and by file and lines,
// by nothing else: two findings of a check in one file would be one.
func writeGitLab(w io.Writer, d Document) error {
	s, a := newSink(w), d.Assessment
	tool := map[string]any{"id": "edgeposture", "name": product, "version": orElse(d.Version, "unknown"),
		"vendor": map[string]any{"name": product}}
	scan := map[string]any{"analyzer": tool, "scanner": tool, "type": "sast", "status": "success",
		"start_time": gitlabTime(a.StartedAt), "end_time": gitlabTime(a.CompletedAt)}
	notes := []any{}
	for _, notice := range notices(a) {
		notes = append(notes, map[string]any{"level": "warn", "value": notice})
	}
	if n := a.Summary.Unknown; n > 0 {
		notes = append(notes, map[string]any{"level": "warn",
			"value": english.Plural(n, "verdict", "") + " could not be judged, because something could not be read."})
	}
	scan["messages"] = notes
	s.put(`{"version":"`+gitlabVersion+`","scan":`, scan)
	s.text(`,"vulnerabilities":[`)
	n := 0
	s.each(d, []posture.Result{posture.Fail, posture.Warning}, func(f posture.Finding) {
		if f.Exception != nil {
			return
		}
		s.put(comma(n)+"\n", gitlabVulnerability(d, f))
		n++
	})
	s.text("]}\n")
	return s.done("GitLab")
}

func gitlabTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05") }

func gitlabVulnerability(d Document, f posture.Finding) map[string]any {
	identifier := map[string]any{"type": "edgeposture_check", "name": f.CheckID, "value": f.CheckID}
	return map[string]any{"id": f.ID, "category": "sast", "name": cut(f.CheckTitle, 255), "severity": gitlabSeverity(f.Severity),
		"description": worded(d, prose(f.Title)+"\n\n"+prose(f.Message)+"\n\n"+prose(f.Impact)), "solution": cut(prose(f.Fix), 7000),
		"identifiers": []any{identifier},
		"location": map[string]any{"file": gitlabFile(d.Assessment.Account.ID, f.Resource), "class": string(f.Resource.Type),
			"method": cut(f.Resource.Name, 255)}}
}

// gitlabFile makes a path that stands for one resource, because there is no file.
func gitlabFile(accountID string, r posture.Resource) string {
	place := artifact(r)
	if place == accountFile {
		place = "accounts/" + url.PathEscape(accountID) + ".json"
	}
	if r.Type == posture.ResourceZone || r.Type == posture.ResourceAccount {
		return place
	}
	return strings.TrimSuffix(place, ".json") + "/" + url.PathEscape(string(r.Type)) + "/" + url.PathEscape(r.ID) + ".json"
}

func gitlabSeverity(s posture.Severity) string {
	return []string{"Info", "Low", "Medium", "High", "Critical"}[s.Rank()]
}
