package command

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/edgeposture/edgeposture/internal/api/client"
	"github.com/edgeposture/edgeposture/internal/assessment/explain"
)

func (p *program) explain() *cobra.Command {
	var in client.ExplainRequest
	cmd := &cobra.Command{Use: "explain URL", Short: "What happens to a request, step by step, and which setting or rule decides",
		Long: "Follows a request through what an assessment read, in the order that Cloudflare publishes. What is not told of the\n" +
			"request, such as the country, leaves undecided what rules ask about it. Nobody is asked.",
		Args: cobra.ExactArgs(1)}
	f := cmd.Flags()
	f.StringVar(&in.Method, "method", "", "GET when absent")
	f.StringVar(&in.Source, "source", "", "`ADDRESS` of the visitor, or a range")
	f.StringVar(&in.Country, "country", "", "where the visitor is, as DE")
	f.StringVar(&in.UserAgent, "user-agent", "", "the user agent")
	f.StringArrayVar(&in.Headers, "header", nil, "a request header as `'Name: value'`; may be given several times")
	f.StringVar(&in.AssessmentID, "assessment", "", "`ID` of an assessment; the newest of the account of the host when absent")
	cmd.RunE = p.look(func(_ *cobra.Command, args []string) (action, error) {
		in.URL = args[0]
		return func(ctx context.Context, s *session) error {
			got, err := s.api.Explain(ctx, in)
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
