package command

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"github.com/edgeposture/edgeposture/internal/api/client"
	"github.com/edgeposture/edgeposture/internal/assessment/issue"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// demand is what a run must achieve, and whether for the demo account.
type demand struct {
	ci, gaps  bool
	gate      bool // whether anything is demanded
	demo      bool // of the demo account
	threshold int  // 0 for none
	failOn    posture.Severity
}

func (p *program) assess() *cobra.Command {
	var r posture.AssessRequest
	var d demand
	var profile, sensitivity, failOn string
	cmd := &cobra.Command{Use: "assess", Short: "Assess an account", Args: cobra.NoArgs,
		Long: "Assess an account. Reads its configuration, changes nothing there.\n\nWith --ci the exit code is 3 when there are FAIL or " +
			"WARNING findings at or above\n" +
			"--fail-on, or when the score is below --threshold or cannot be relied on. --ci\nalone means --fail-on high. " +
			"These flags fail on the built-in demo account\nunless --demo is given, so that a missing token does not pass a pipeline.",
		Example: examples("assess", "assess --account prod --zone '*.example.com'", "assess --ci --fail-on high --threshold 80 -o json")}
	f := cmd.Flags()
	f.StringVar(&r.Account, "account", "", "id or name of a registered account; default: the default account")
	f.StringSliceVar(&r.Zones, "zone", nil, "only these zones: names, ids or patterns with * and ?")
	f.StringSliceVar(&r.ExcludeZones, "exclude-zone", nil, "skip these zones")
	f.StringSliceVar(&r.Categories, "category", nil, "only checks of these categories")
	f.StringSliceVar(&r.Checks, "check", nil, "only these checks")
	f.StringVar(&profile, "profile", "", "how much to read")
	choices(cmd, "profile", "full", "core")
	f.StringVar(&sensitivity, "sensitivity", "", "how sensitive the systems behind the account are")
	choices(cmd, "sensitivity", "low", "medium", "high", "critical")
	f.BoolVar(&r.Incremental, "incremental", false, "reuse what cannot have changed since the runs of the last 24 hours")
	f.StringVar(&r.Note, "note", "", "a note to keep with the assessment")
	f.BoolVar(&d.ci, "ci", false, "exit with 3 for findings from --fail-on on, or a score below --threshold")
	f.IntVar(&d.threshold, "threshold", 0, "with --ci: the lowest score that passes, 1 to 100")
	f.StringVar(&failOn, "fail-on", "", "with --ci: the lowest severity that fails")
	choices(cmd, "fail-on", append(severities(), noSeverity)...)
	f.BoolVar(&d.gaps, "fail-on-gaps", false, "exit with 4 when something could not be read")
	f.BoolVar(&d.demo, "demo", false, "assess the built-in demo account and no other")
	cmd.RunE = p.do(func(cmd *cobra.Command, _ []string) (action, error) {
		d.gate = d.ci || d.gaps || d.threshold > 0 || failOn != ""
		r.Profile, r.Sensitivity = posture.Profile(profile), posture.Sensitivity(sensitivity)
		if !d.ci && (isGiven(cmd, "threshold") || isGiven(cmd, "fail-on")) {
			return nil, usage("--threshold and --fail-on decide nothing without --ci; add it")
		}
		if err := d.complete(failOn, cmd.Flags().Changed("threshold")); err != nil {
			return nil, err
		}
		return func(ctx context.Context, s *session) error { return s.assessed(ctx, r, d) }, nil
	})
	return cmd
}

// complete validates the flags of the demand.
func (d *demand) complete(failOn string, thresholdSet bool) error {
	if thresholdSet && (d.threshold < 1 || d.threshold > 100) {
		return usage("--threshold is %d; use 1 to 100", d.threshold)
	}
	if failOn == "" {
		if d.threshold == 0 {
			d.failOn = posture.High
		}
		return nil
	}
	var err error
	d.failOn, err = failing(failOn)
	return err
}

// noSeverity as --fail-on leaves findings out of what decides.
const noSeverity = "none"

// failing returns the lowest severity that --fail-on lets fail, "" when none does.
func failing(failOn string) (posture.Severity, error) {
	if failOn == "" || failOn == noSeverity {
		return "", nil
	}
	severity, err := posture.ParseSeverity(failOn)
	if err != nil {
		return "", usage("--fail-on: %s, or %s", err, noSeverity)
	}
	return severity, nil
}

// judge checks an assessment against the demand. UNKNOWN findings are gaps, never failures, and open
// counts no finding whose risk is accepted.
func (d demand) judge(a posture.AssessmentSummary, open map[posture.Severity]int) error {
	if d.ci && d.failOn != "" {
		n := 0
		for _, s := range posture.Severities() {
			if s.Rank() >= d.failOn.Rank() {
				n += open[s]
			}
		}
		if n > 0 {
			return ending(exitFindings, "%d findings are %s or worse; fix them, or accept their risk with edgeposture exceptions add", n, d.failOn)
		}
	}
	if d.ci && d.threshold > 0 {
		if a.Score.Grade == nil {
			return ending(exitFindings, "the score of %d has no grade (%s) and cannot be held against --threshold %d; give the token the "+
				"permissions it lacks", a.Score.Value, a.Score.Note(), d.threshold)
		}
		if a.Score.Value < d.threshold {
			return ending(exitFindings, "the score is %d, below --threshold %d", a.Score.Value, d.threshold)
		}
	}
	if d.gaps && a.Status != posture.Completed {
		do := "edgeposture findings list --result UNKNOWN -o wide says why"
		if len(a.Coverage.MissingPermissions) > 0 {
			do = "give the token the permissions it lacks"
		}
		return ending(exitGaps, "completed with gaps: %d findings are UNKNOWN because something could not be read; %s", a.Summary.Unknown, do)
	}
	if why := blind(a); d.ci && why != "" {
		return ending(exitError, "%s", why)
	}
	return nil
}

// blind says that a run judged nothing but its own token, as with one that was revoked or one of another
// account, and what to do; it is empty for other runs. No demand is met by such a run.
func blind(a posture.AssessmentSummary) string {
	of := a.Score.ByCategory["token"]
	if a.Summary.Unknown == 0 || a.Summary.Pass+a.Summary.Fail+a.Summary.Warning != of.Pass+of.Fail {
		return ""
	}
	token := a.TokenInfo.Error
	if token == "" && a.TokenInfo.Status != "active" {
		token = "the token is " + a.TokenInfo.Status
	}
	if token != "" {
		token = " (" + token + ")"
	}
	return fmt.Sprintf("nothing could be judged: %d findings are UNKNOWN%s; check the token, and that it may read the account %s; "+
		"edgeposture findings list --result UNKNOWN -o wide gives the reasons", a.Summary.Unknown, token, clipped(a.Account.ID))
}

// of checks that the account is the built-in demo account exactly when that was asked for.
func (d demand) of(name string, demo bool) error {
	switch {
	case d.demo && !demo:
		return usage("--demo asks for the built-in demo account and %q is a real one; leave --demo out, or run without a token and with an "+
			"empty DATA_DIR", clipped(name))
	case d.gate && demo && !d.demo:
		return usage("the run would be of the built-in demo account because no CLOUDFLARE_API_TOKEN is set and no account is registered, " +
			"which says nothing about yours; set the token where this runs (or where the service of --server does), or add --demo")
	default:
		return nil
	}
}

func (s *session) assessed(ctx context.Context, r posture.AssessRequest, d demand) error {
	// An error here would also fail the work below, which reports it.
	if account, err := s.api.Account(ctx, cmp.Or(r.Account, "default")); err == nil {
		if err := d.of(account.Value.Name, account.Value.Demo); err != nil {
			return err
		}
	}
	job, err := s.work(ctx, client.Assess(r))
	if err != nil {
		return err
	}
	a, err := s.api.Assessment(ctx, job.AssessmentID)
	if err != nil {
		return err
	}
	if err := d.of(a.Value.Account.Name, a.Value.Demo); err != nil {
		return err
	}
	first, err := s.first(ctx, a.Value.ID)
	if err != nil {
		return err
	}
	open, err := s.open(ctx, a.Value)
	if err != nil {
		return err
	}
	if err := s.show(a.Raw, func(w io.Writer) { s.summarise(w, a.Value, open, first) }); err != nil {
		return err
	}
	if why := blind(a.Value); !d.ci && why != "" {
		s.say("%s", why)
	}
	return d.judge(a.Value, open)
}

// open counts the FAIL and WARNING findings of a run by severity, without those whose risk is accepted.
func (s *session) open(ctx context.Context, a posture.AssessmentSummary) (map[posture.Severity]int, error) {
	left, err := s.api.Findings(ctx, a.ID, url.Values{"limit": {"1"}, "result": {"FAIL,WARNING"}, "exception": {"hidden"}, "facets": {"true"}})
	if err != nil {
		return nil, err
	}
	if left.Value.Facets == nil { // a service that counts nothing by severity
		return a.Summary.BySeverity, nil
	}
	return left.Value.Facets.Severity, nil
}

// urgent is an issue with its worst finding.
type urgent struct {
	issue.Issue
	worst posture.Finding
}

// first returns the ten open issues to do first. It asks for nothing when they are not printed.
func (s *session) first(ctx context.Context, assessmentID string) ([]urgent, error) {
	if s.quiet && s.structured() {
		return nil, nil
	}
	issues, err := s.api.Issues(ctx, assessmentID, url.Values{"limit": {"10"}, "state": {"open,acknowledged,in_progress"}})
	if err != nil {
		return nil, err
	}
	var out []urgent
	for _, i := range issues.Value.Items {
		found, err := s.api.Findings(ctx, assessmentID, url.Values{"limit": {"50"}, "check": {i.CheckID}, "result": {"FAIL,WARNING"}})
		if err != nil {
			return nil, err
		}
		of := found.Value.Items
		at := slices.IndexFunc(of, func(f posture.Finding) bool { return strings.HasPrefix(i.Title, f.Title) })
		if len(of) > 0 {
			out = append(out, urgent{i, of[max(at, 0)]})
		}
	}
	return out, nil
}

func (s *session) summarise(w io.Writer, a posture.AssessmentSummary, open map[posture.Severity]int, first []urgent) {
	name := a.Account.Name
	if a.Demo {
		name += " (built-in demo account)"
	}
	line(w, "%s: score %d, %s, coverage %.0f %%, %s, %s", name, a.Score.Value, a.Score.Words(), a.Coverage.Percent,
		english.Plural(len(a.Zones), "zone", ""), english.Plural(a.AttackPaths, "attack path", ""))
	line(w, "%d FAIL, %d WARNING, %d UNKNOWN, %d PASS, %d not applicable", a.Summary.Fail, a.Summary.Warning, a.Summary.Unknown,
		a.Summary.Pass, a.Summary.NotApplicable)
	bySeverity, accepted := "", 0
	for _, v := range posture.Severities() {
		bySeverity += fmt.Sprintf("%d %s  ", open[v], v)
		accepted += a.Summary.BySeverity[v] - open[v]
	}
	if accepted > 0 {
		bySeverity += "and " + english.Plural(accepted, "accepted risk", "")
	}
	line(w, "open: %s", bySeverity)
	for _, m := range a.Coverage.MissingPermissions {
		line(w, "the token lacks %q, which blinds %s", m.Permission, english.Plural(len(m.CheckIDs), "check", ""))
	}
	if len(first) > 0 {
		line(w, "what to do first:")
	}
	for _, i := range first {
		_, _ = fmt.Fprintf(w, "%s %s\n  %s\n  Fix: %s\n", s.coloured(i.Severity), oneLine(i.CheckID+" "+i.Title),
			oneLine(i.worst.Message), oneLine(i.worst.Way()))
	}
	line(w, "assessment %s", a.ID)
}

// coloured formats a severity, with a colour when stdout is a terminal.
func (p *program) coloured(v posture.Severity) string {
	text := fmt.Sprintf("%-13s", v)
	code := map[posture.Severity]string{posture.Critical: "31;1", posture.High: "31", posture.Medium: "33", posture.Low: "36"}[v]
	if code == "" || p.noColor || !p.colours || p.structured() {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}
