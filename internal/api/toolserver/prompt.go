package toolserver

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// addPrompts adds prompts for common ways to use the tools.
func addPrompts(s *mcp.Server) {
	for _, p := range []struct{ name, title, text string }{
		{"what_to_do_first", "What to do first",
			"Read the latest assessment with get_assessment. Take the issue of rank 1 from list_issues, list the " +
				"resources it hits with list_findings, read one of them with get_finding, and tell me in a few sentences " +
				"what is wrong, what it lets someone do, and how to close it. Name what could not be read."},
		{"explain_attack_paths", "Explain the attack paths",
			"List the attack paths of the latest assessment with list_attack_paths. Explain the worst one step by " +
				"step, say why it has its severity, and name the one change that breaks it with the least risk."},
		{"plan_changes", "Plan changes",
			"Make a plan with plan_remediation for the latest assessment and go through it with get_plan. Group the " +
				"changes by risk, say for each what it may break, and what stays to be done by hand. Apply nothing."},
		{"what_changed", "What changed since the last run",
			"Compare the two latest assessments with diff. Say what is new, what was resolved, what became unreadable, " +
				"who changed it where that is known, and whether the account is more exposed than before."},
	} {
		s.AddPrompt(&mcp.Prompt{Name: p.name, Title: p.title, Description: p.title + "."},
			func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
				return &mcp.GetPromptResult{Description: p.title + ".", Messages: []*mcp.PromptMessage{{Role: "user",
					Content: &mcp.TextContent{Text: p.text}}}}, nil
			})
	}
}
