package command

import (
	"context"
	"fmt"
	"io"
	"net/url"

	"github.com/spf13/cobra"

	"github.com/edgeposture/edgeposture/internal/assessment/explain"
)

func (p *program) explain() *cobra.Command {
	var source, country, method, agent, assessment string
	var headers []string
	cmd := &cobra.Command{Use: "explain URL", Short: "What happens to a request, step by step, and which setting or rule decides",
		Long: "Follows a request through what an assessment read, in the order that Cloudflare publishes. What is not told of the\n" +
			"request, such as the country, leaves undecided what rules ask about it. Nobody is asked.",
		Args: cobra.ExactArgs(1)}
	f := cmd.Flags()
	f.StringVar(&method, "method", "", "GET when absent")
	f.StringVar(&source, "source", "", "`ADDRESS` of the visitor, or a range")
	f.StringVar(&country, "country", "", "where the visitor is, as DE")
	f.StringVar(&agent, "user-agent", "", "the user agent")
	f.StringArrayVar(&headers, "header", nil, "a request header as `'Name: value'`; may be given several times")
	f.StringVar(&assessment, "assessment", "", "`ID` of an assessment; the newest of the account of the host when absent")
	cmd.RunE = p.look(func(_ *cobra.Command, args []string) (action, error) {
		q := url.Values{"url": {args[0]}}
		for name, value := range map[string]string{"method": method, "source": source, "country": country, "userAgent": agent,
			"assessmentId": assessment} {
			if value != "" {
				q.Set(name, value)
			}
		}
		q["header"] = headers
		return func(ctx context.Context, s *session) error {
			got, err := s.api.Explain(ctx, q)
			if err != nil {
				return err
			}
			return s.show(got.Raw, func(w io.Writer) { tellExplanation(w, got.Value) })
		}, nil
	})
	return cmd
}

func tellExplanation(w io.Writer, e explain.Explanation) {
	line(w, "%s", e.Outcome)
	line(w, "zone %s of %s, assessment %s", e.Zone.Name, e.Account.Name, e.AssessmentID)
	rows := [][]string{{"STEP", "OUTCOME", "FINDINGS", "WHAT HAPPENS"}}
	for _, s := range e.Steps {
		if s.Outcome != explain.NotConfigured {
			rows = append(rows, []string{s.Title, string(s.Outcome), fmt.Sprint(len(s.FindingIDs)), s.Detail})
		}
	}
	table(w, rows)
	for _, u := range e.Undecided {
		if u.Permission != "" {
			line(w, "%s is not known: the token lacks %s", u.What, u.Permission)
		}
	}
}
