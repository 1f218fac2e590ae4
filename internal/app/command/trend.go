package command

import (
	"context"
	"net/url"
	"slices"
	"strconv"

	"github.com/spf13/cobra"
)

func (p *program) trends() *cobra.Command {
	var account, bucket, zone string
	var limit int
	var all bool
	cmd := &cobra.Command{Use: "trends", Short: "Show how an account developed over its runs", Args: cobra.NoArgs,
		Example: examples("trends --account prod --bucket week --time-zone Europe/Berlin")}
	f := cmd.Flags()
	f.StringVar(&account, "account", "", "id or name of an account; default: that of the newest run")
	f.StringVar(&bucket, "bucket", "day", "show the last run of each")
	buckets := []string{"run", "day", "week", "month"}
	choices(cmd, "bucket", buckets...)
	f.StringVar(&zone, "time-zone", "UTC", "time `ZONE` of days, weeks and months, such as Europe/Berlin")
	f.IntVar(&limit, "limit", 30, "how many to show, 1 to 1000")
	f.BoolVar(&all, "all", false, "include partial runs, which do not compare with full ones")
	cmd.RunE = p.look(func(*cobra.Command, []string) (action, error) {
		if !slices.Contains(buckets, bucket) || limit < 1 || limit > 1000 {
			return nil, usage("use --bucket run, day, week or month, and --limit 1 to 1000")
		}
		q := url.Values{"bucket": {bucket}, "zone": {zone}, "limit": {strconv.Itoa(limit)}}
		if account != "" {
			q.Set("account", account)
		}
		if all {
			q.Set("scope", "all")
		}
		return func(ctx context.Context, s *session) error {
			got, err := s.api.Trends(ctx, q)
			if err != nil {
				return err
			}
			if s.structured() {
				return s.print(got.Raw)
			}
			rows := [][]string{{"AT", "SCORE", "FAIL", "WARNING", "UNKNOWN", "PATHS", "OPENED", "RESOLVED", "REOPENED", "ASSESSMENT"}}
			for _, t := range got.Value.Points {
				row := []string{instant(t.At)}
				for _, n := range []int{t.Score, t.Summary.Fail, t.Summary.Warning, t.Summary.Unknown, t.AttackPaths, t.Opened, t.Resolved,
					t.Reopened} {
					row = append(row, strconv.Itoa(n))
				}
				rows = append(rows, append(row, t.AssessmentID))
			}
			table(s.out, rows)
			return nil
		}, nil
	})
	return cmd
}
