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
	cmd := &cobra.Command{Use: "explain URL", Short: "Follow a request to the setting or rule that decides, step by step",
		Long: "Follow a request through the configuration that an assessment read, in the order\n" +
			"that Cloudflare publishes. Rules that ask about something that is not given, such\n" +
			"as the country, stay undecided. No request is sent.",
		Example: examples("explain https://shop.example.com/admin --country DE --source 203.0.113.7"),
		Args:    cobra.ExactArgs(1)}
	f := cmd.Flags()
	f.StringVar(&in.Method, "method", "", "HTTP method; default GET")
	f.StringVar(&in.Source, "source", "", "IP `ADDRESS` of the visitor, or a range")
	f.StringVar(&in.Country, "country", "", "country of the visitor, such as DE")
	f.StringVar(&in.UserAgent, "user-agent", "", "user agent of the visitor")
	f.StringArrayVar(&in.Headers, "header", nil, "a request header as `'Name: value'`; repeatable")
	f.StringVar(&in.AssessmentID, "assessment", "", "`ID` of the assessment; default: the latest that knows the host")
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
