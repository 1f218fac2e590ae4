package app_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/api/httpapi"
	"github.com/edgeposture/edgeposture/internal/assessment/attackpath"
	"github.com/edgeposture/edgeposture/internal/assessment/whatif"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
)

// TestWhatIf tries calls and a plan on a saved assessment, and sends nothing.
func TestWhatIf(t *testing.T) {
	t.Parallel()
	s := embedded(t, simcloud.Options{Seed: 6, Limit: simcloud.Limit{Disabled: true}, Accounts: []simcloud.AccountSpec{
		{Zones: 3, RecordsPerZone: 10, Plant: 0.4, Plans: []string{"enterprise"}}}})
	ask := func(body any) answer { return s.call(http.MethodPost, "/api/what-if", body) }
	ssl := func(zone, mode string) object {
		return object{"method": "PATCH", "path": "/zones/" + zone + "/settings/ssl", "body": object{"value": mode}}
	}
	require.Equal(t, 404, ask(object{"changes": []any{ssl("z", "off")}}).status)

	a := s.assessed()
	sent := s.cloud.Requests().Total
	zone := a.Zones[0].ID
	var got whatif.WhatIf
	answered := ask(object{"changes": []any{ssl(zone, "off"), ssl(a.Zones[1].ID, "off"), ssl(a.Zones[2].ID, "off")}})
	require.Equal(t, 200, answered.status, string(answered.body))
	answered.into(t, &got)
	require.Equal(t, a.ID, got.AssessmentID)
	require.Len(t, got.Applied, 3)
	require.Equal(t, "/ssl/value", got.Applied[0].Edits[0].Pointer)
	require.Equal(t, "off", got.Applied[0].Edits[0].After)
	require.NotZero(t, got.JudgedAgain)
	require.Equal(t, a.Score.Value, got.Score.Before.Value)
	worse := append(got.Findings.Appear, got.Findings.Worsen...)
	require.NotEmpty(t, worse)
	for _, d := range worse {
		require.NotEmpty(t, got.Causes[d.ID])
		require.Contains(t, []posture.Result{posture.Fail, posture.Warning}, d.After)
	}

	require.Equal(t, sent, s.cloud.Requests().Total, "nobody is asked")
	plan := s.planned(map[string]any{"assessmentId": a.ID})
	sent = s.cloud.Requests().Total
	answered = ask(object{"changes": []any{object{"planId": plan.ID}}})
	require.Equal(t, 200, answered.status, string(answered.body))
	answered.into(t, &got)
	require.Len(t, got.Applied, len(plan.Changes))
	require.NotEmpty(t, got.Findings.Resolve)
	require.GreaterOrEqual(t, got.Score.After.Value, got.Score.Before.Value)
	told := map[string]bool{} // as broken, or as hanging on what Cloudflare makes of a change, such as a certificate
	for _, p := range got.Paths.Break {
		told[p.Title] = true
	}
	require.NotEmpty(t, told)
	for _, d := range got.Undecided {
		told[strings.TrimPrefix(d.What, "the attack path ")] = true
	}
	var paths httpapi.PathsBody
	s.call(http.MethodGet, "/api/assessments/"+a.ID+"/paths", nil).into(t, &paths)
	require.Greater(t, len(paths.Items), len(plan.PathsRemoved))
	for _, p := range paths.Items {
		require.False(t, slices.Contains(plan.PathsRemoved, p.ID) && !told[p.Title], "the plan promises to break %s", p.Title)
	}
	answered = ask(object{"changes": []any{object{"planId": plan.ID, "changeId": plan.Changes[0].ID}}})
	answered.into(t, &got)
	require.Len(t, got.Applied, 1)
	require.Equal(t, plan.Changes[0].ID, got.Applied[0].Change.ChangeID)
	require.Equal(t, sent, s.cloud.Requests().Total, "nobody is asked")

	for _, f := range a.Findings {
		if f.CheckID == "CFL-SSL-005" && f.Result == posture.Fail {
			at := "/api/assessments/" + a.ID + "/editable?check=CFL-SSL-005&resource="
			calls := struct{ Items []httpapi.EditableCall }{}
			s.call(http.MethodGet, at+f.Resource.ID, nil).into(t, &calls)
			require.Equal(t, []httpapi.EditableCall{{Method: "PATCH", Path: "/zones/" + f.Resource.ID + "/settings/always_use_https",
				Body: []byte(`{"value":"off"}`)}}, calls.Items)
			require.Equal(t, 404, s.call(http.MethodGet, at+"nothing", nil).status)
		}
	}

	for name, changes := range map[string][]any{
		"none":                {},
		"nothing in it":       {object{}},
		"a read":              {object{"method": "GET", "path": "/zones/" + zone + "/settings/ssl"}},
		"without a path":      {object{"method": "PATCH"}},
		"of two kinds":        {object{"method": "PATCH", "path": "/x", "planId": plan.ID}},
		"another zone":        {ssl(zone, "off"), ssl("0123456789abcdef0123456789abcdef", "off")},
		"an unknown part":     {object{"method": "PUT", "path": "/zones/" + zone + "/argo/smart_routing", "body": object{"value": "on"}}},
		"an unknown record":   {object{"method": "DELETE", "path": "/zones/" + zone + "/dns_records/none"}},
		"a body of no use":    {object{"method": "POST", "path": "/zones/" + zone + "/dns_records", "body": []any{1}}},
		"an unknown setting":  {object{"method": "PATCH", "path": "/zones/" + zone + "/settings/odd", "body": object{"value": "on"}}},
		"a change of no plan": {object{"planId": plan.ID, "changeId": "none"}},
		"a way out":           {object{"method": "PATCH", "path": "/zones/" + zone + "/../" + zone}},
	} {
		got := ask(object{"changes": changes, "assessmentId": a.ID})
		require.Equal(t, 422, got.status, "%s: %s", name, got.body)
	}
	require.Equal(t, 404, ask(object{"changes": []any{ssl(zone, "off")}, "assessmentId": "0198c5b2-1f6e-7c3a-9d2e-5a1b2c3d4e5f"}).status)
}

// TestCut asks for the least that breaks attack paths, and tries that it does.
func TestCut(t *testing.T) {
	t.Parallel()
	s := embedded(t, simcloud.Options{Seed: 6, Limit: simcloud.Limit{Disabled: true}, Accounts: []simcloud.AccountSpec{
		{Zones: 3, RecordsPerZone: 10, Plant: 0.5, Plans: []string{"enterprise"}}}})
	a := s.assessed()
	at := "/api/assessments/" + a.ID + "/cut"
	var all, critical, one attackpath.Cut
	s.call(http.MethodGet, at+"?severity=high", nil).into(t, &all)
	require.Equal(t, a.AttackPaths, all.Of)
	require.Equal(t, all.Of, all.Paths+len(all.Unbroken))
	require.True(t, all.Exact)
	require.NotEmpty(t, all.Changes)
	s.call(http.MethodGet, at, nil).into(t, &critical)
	require.Equal(t, posture.Critical, critical.Severity)
	require.Less(t, critical.Of, all.Of)
	require.Less(t, len(critical.Changes), len(all.Changes))
	var paths httpapi.PathsBody
	s.call(http.MethodGet, "/api/assessments/"+a.ID+"/paths", nil).into(t, &paths)
	s.call(http.MethodGet, at+"?path="+url.QueryEscape(paths.Items[0].ID), nil).into(t, &one)
	require.Equal(t, 1, one.Of)
	require.Len(t, one.Changes, 1)
	require.Equal(t, 422, s.call(http.MethodGet, at+"?path=none", nil).status)
	require.Equal(t, 422, s.call(http.MethodGet, at+"?severity=low", nil).status)
}
