package command

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"github.com/edgeposture/edgeposture/internal/api/client"
	"github.com/edgeposture/edgeposture/internal/delivery/notify"
	"github.com/edgeposture/edgeposture/jobs"
)

func (p *program) ship() *cobra.Command {
	var r client.ShipRequest
	cmd := &cobra.Command{Use: "ship", Short: "Send an assessment to Elasticsearch, OpenSearch, Splunk, AWS Security Hub or files",
		Args: cobra.NoArgs,
		Long: "Send an assessment to Elasticsearch or OpenSearch (search), Splunk HEC (collector),\n" +
			"AWS Security Hub (securityhub) or files (file). " +
			"Addresses and credentials come from\nthe settings and the environment of the service.",
		Example: examples("ship --target search --only-changes", "ship --target collector --dry-run",
			"ship --target securityhub --aws-account 111122223333 --aws-region eu-central-1")}
	f := cmd.Flags()
	f.StringVar(&r.Target, "target", "", "where to send it")
	choices(cmd, "target", "search", "collector", "securityhub", "file", "all")
	f.StringVar(&r.AssessmentID, "assessment", "", "`ID` of the assessment; default: the latest")
	f.BoolVar(&r.DryRun, "dry-run", false, "show the first documents, send nothing")
	f.BoolVar(&r.OnlyChanges, "only-changes", false, "send only what is new or changed since the previous run")
	f.BoolVar(&r.IncludeTemplate, "include-template", false, "install the index template first")
	f.BoolVar(&r.Kibana, "kibana", false, "write findings for Kibana's Findings page, without UNKNOWN ones")
	f.StringVar(&r.SearchIndex, "search-index", "", "name of the index in Elasticsearch or OpenSearch")
	f.StringVar(&r.HECIndex, "hec-index", "", "name of the index in Splunk")
	f.StringVar(&r.AWSAccountID, "aws-account", "", "securityhub: the AWS account, 12 digits; default: that of the settings")
	f.StringVar(&r.AWSRegion, "aws-region", "", "securityhub: the AWS region; default: that of the settings")
	cmd.RunE = p.do(func(*cobra.Command, []string) (action, error) {
		if r.Target == "" {
			return nil, usage("--target is needed: search, collector, all, file or securityhub")
		}
		return func(ctx context.Context, s *session) error { return s.shipped(ctx, r) }, nil
	})
	return cmd
}

func (s *session) shipped(ctx context.Context, r client.ShipRequest) error {
	job, err := s.work(ctx, client.Ship(r))
	if err != nil {
		return err
	}
	got, err := result[jobs.ShipResult](job)
	if err != nil {
		return err
	}
	targets := []struct {
		name  string
		count *jobs.ShipCount
	}{{"search", got.Search}, {"collector", got.Collector}, {"securityhub", got.SecurityHub}}
	if err := s.show(job.Result, func(w io.Writer) {
		if r.DryRun {
			line(w, "dry run: %s would go to %s, nothing was sent", english.Plural(got.Documents, "document", ""), got.Target)
		}
		for _, t := range targets {
			if t.count != nil {
				told := append([]string{fmt.Sprintf("%s: %d sent, %d failed", t.name, t.count.Sent, t.count.Failed)}, t.count.Errors...)
				line(w, "%s", strings.Join(told, "; "))
			}
		}
		for _, file := range got.Files {
			line(w, "%s: %d bytes, sha256 %s", file.Name, file.Bytes, file.SHA256)
		}
	}); err != nil {
		return err
	}
	for _, t := range targets {
		if t.count != nil && (t.count.Failed > 0 || len(t.count.Errors) > 0) {
			return ending(exitDelivery, "%s did not take %s: %s", t.name, english.Plural(t.count.Failed, "document", ""),
				strings.Join(t.count.Errors, "; "))
		}
	}
	return nil
}

func (p *program) notify() *cobra.Command {
	var r client.NotifyRequest
	cmd := &cobra.Command{Use: "notify", Short: "Notify Slack, Microsoft Teams and webhooks about an assessment", Args: cobra.NoArgs,
		Long: "Notify Slack (chat_a), Microsoft Teams (chat_b) and webhooks about an assessment.\n" +
			"Their addresses are secrets: they come from the " +
			"settings and the environment of the\nservice, never from arguments.",
		Example: examples("notify --dry-run", "notify --channel chat_a --threshold high")}
	f := cmd.Flags()
	f.StringVar(&r.AssessmentID, "assessment", "", "`ID` of the assessment; default: the latest")
	f.StringSliceVar(&r.Channels, "channel", nil, "default: all that are configured")
	choices(cmd, "channel", notify.Names()...)
	f.StringVar(&r.Threshold, "threshold", "", "send nothing when the worst open finding is below this severity")
	choices(cmd, "threshold", severities()...)
	f.StringVar(&r.Link, "link", "", "`URL` for the button of the message; the assessment in the dashboard when absent")
	f.BoolVar(&r.DryRun, "dry-run", false, "show what would be sent, send nothing")
	cmd.RunE = p.do(func(*cobra.Command, []string) (action, error) {
		return func(ctx context.Context, s *session) error { return s.notified(ctx, r) }, nil
	})
	return cmd
}

func (s *session) notified(ctx context.Context, r client.NotifyRequest) error {
	job, err := s.work(ctx, client.Notify(r))
	if err != nil {
		return err
	}
	got, err := result[jobs.NotifyResult](job)
	if err != nil {
		return err
	}
	var failed []string
	for _, f := range got.Failed {
		failed = append(failed, fmt.Sprintf("%s (%s)", f.Channel, f.Reason))
	}
	if err := s.show(job.Result, func(w io.Writer) {
		goes := 0
		for _, channel := range slices.Sorted(maps.Keys(got.Payloads)) {
			if !slices.ContainsFunc(got.Skipped, func(v jobs.NotifySkipped) bool { return v.Channel == channel }) {
				line(w, "dry run: a message would go to %s, nothing was sent; --output json shows it", channel)
				goes++
			}
		}
		if got.Payloads != nil && goes == 0 {
			line(w, "dry run: no message would go anywhere")
		}
		for _, v := range got.Sent {
			line(w, "%s: sent", v.Channel)
		}
		for _, v := range got.Skipped {
			line(w, "%s skipped: %s", v.Channel, v.Reason)
		}
	}); err != nil {
		return err
	}
	if len(failed) > 0 {
		return ending(exitDelivery, "not delivered to %s", strings.Join(failed, ", "))
	}
	return nil
}
