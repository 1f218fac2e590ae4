package command

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/spf13/cobra"

	"github.com/edgeposture/edgeposture/internal/api/toolserver"
)

func (p *program) checks() *cobra.Command {
	var format string
	cmd := &cobra.Command{Use: "checks [ID]", Short: "List the checks, or explain one", Args: cobra.MaximumNArgs(1),
		Example: examples("checks", "checks CFL-SSL-002")}
	cmd.Flags().StringVar(&format, "format", "", "")
	choices(cmd, "format", "table", "json")
	cmd.RunE = p.look(func(_ *cobra.Command, args []string) (action, error) {
		switch format {
		case "":
		case "table":
			p.output = outputText
		case "json":
			p.output = outputJSON
		default:
			return nil, usage("--format is %q; use table or json", clipped(format))
		}
		if len(args) == 1 {
			return func(ctx context.Context, s *session) error { return s.oneCheck(ctx, args[0]) }, nil
		}
		return func(ctx context.Context, s *session) error { return s.allChecks(ctx) }, nil
	})
	return cmd
}

func (s *session) allChecks(ctx context.Context) error {
	list, err := s.api.Checks(ctx)
	if err != nil {
		return err
	}
	rows := [][]string{{"ID", "SEVERITY", "CATEGORY", "CHANGE", "TITLE"}}
	for _, c := range list.Value.Items {
		change := "by hand"
		if c.Remediable {
			change = "by plan"
		}
		rows = append(rows, []string{c.ID, string(c.Severity), string(c.Category), change, c.Title})
	}
	if s.structured() {
		return s.show(list.Raw, func(w io.Writer) { line(w, "%d checks", len(list.Value.Items)) })
	}
	table(s.out, rows)
	return nil
}

func (s *session) oneCheck(ctx context.Context, id string) error {
	c, err := s.api.Check(ctx, id)
	if err != nil {
		return err
	}
	return s.show(c.Raw, func(w io.Writer) {
		line(w, "%s %s (%s, %s)", c.Value.ID, c.Value.Title, c.Value.Severity, c.Value.Category)
		line(w, "why: %s", c.Value.Why)
		line(w, "fix: %s", c.Value.Fix)
		for _, r := range c.Value.References {
			line(w, "see: %s", r)
		}
	})
}

// mcp serves tools to one caller over standard input and output. The tokens for changes come from
// this process.
func (p *program) mcp() *cobra.Command {
	var providerFile string
	cmd := &cobra.Command{Use: "mcp", Short: "Serve tools for language models over stdin and stdout (MCP)", Args: cobra.NoArgs,
		Example: examples("mcp --server https://edgeposture.example.com")}
	cmd.Flags().StringVar(&providerFile, "api-token-file", "",
		"`FILE` with a Cloudflare token that may write, when that of the account only reads")
	cmd.RunE = p.do(func(cmd *cobra.Command, _ []string) (action, error) {
		tokens := toolserver.Tokens{Edit: p.tool.EditToken}
		if providerFile != "" {
			var err error
			if tokens.Provider, err = secretFile(providerFile); err != nil {
				return nil, err
			}
		}
		return func(ctx context.Context, s *session) error {
			err := toolserver.ServeStdio(ctx, toolserver.Options{Version: cmd.Root().Version, Client: toolserver.Always(s.api),
				Tokens: func(http.Header) toolserver.Tokens { return tokens }}, p.in, p.out)
			if ctx.Err() != nil {
				return fmt.Errorf("%w; jobs under way are kept", context.Cause(ctx))
			}
			return err
		}, nil
	})
	return cmd
}
