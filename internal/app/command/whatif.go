package command

import (
	"context"
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"github.com/edgeposture/edgeposture/internal/assessment/drift"
	"github.com/edgeposture/edgeposture/internal/assessment/whatif"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/delivery/export"
)

// trial is what to try and what to do with the result.
type trial struct {
	whatif.Trial
	plan, body, terraform string
	chosen                []string // change ids of the plan
	threshold             posture.Severity
	markdown, sarif       string // output files
}

func (p *program) whatIf() *cobra.Command {
	var in trial
	var threshold string
	cmd := &cobra.Command{Use: "what-if [METHOD PATH]", Short: "Show what changes would bring, before anybody makes them",
		Long: "Try changes on what an assessment read and show which findings and attack paths\n" +
			"appear and go, and the score before and after. The changes are a call of\n" +
			"Cloudflare's API (METHOD PATH), those of a remediation plan (--plan), or those of a\n" +
			"Terraform plan (--terraform). Nothing is sent to Cloudflare.",
		Example: examples(`what-if PATCH /zones/ZONE/settings/ssl --body '{"value": "strict"}'`, `what-if --plan ID`,
			`what-if --terraform plan.json --threshold high --markdown comment.md`),
		Args: cobra.MaximumNArgs(2)}
	f := cmd.Flags()
	f.StringVar(&in.AssessmentID, "assessment", "", "`ID` of the assessment; default: that of the plan, or the latest")
	f.StringVar(&in.plan, "plan", "", "`ID` of a remediation plan")
	f.StringSliceVar(&in.chosen, "plan-change", nil, "with --plan: only the change with this `ID`; repeatable")
	f.StringVar(&in.body, "body", "", "the body of the call, as `JSON`")
	f.StringVar(&in.terraform, "terraform", "", "`FILE` with the output of terraform show -json, - for stdin")
	f.StringVar(&threshold, "threshold", "", "exit with 1 when the changes open a finding of at least this severity")
	choices(cmd, "threshold", severities()...)
	f.StringVar(&in.markdown, "markdown", "", "write a pull request comment to `FILE`")
	f.StringVar(&in.sarif, "sarif", "", "write SARIF for code scanning to `FILE`, by the address of the resource in Terraform")
	cmd.RunE = p.look(func(_ *cobra.Command, args []string) (action, error) {
		var err error
		if threshold != "" {
			if in.threshold, err = posture.ParseSeverity(threshold); err != nil {
				return nil, usage("--threshold: %s", err)
			}
		}
		if in.Changes, err = in.proposed(args, p); err != nil {
			return nil, err
		}
		return func(ctx context.Context, s *session) error { return s.try(ctx, in) }, nil
	})
	return cmd
}

func (t trial) proposed(args []string, p *program) ([]whatif.Proposed, error) {
	var out []whatif.Proposed
	switch len(args) {
	case 1:
		return nil, usage("%s is one of METHOD and PATH; name both, as in PATCH /zones/ID/settings/ssl", clipped(args[0]))
	case 2:
		c := whatif.Proposed{Method: strings.ToUpper(args[0]), Path: args[1]}
		if t.body != "" {
			if c.Body = json.RawMessage(t.body); !json.Valid(c.Body) {
				return nil, usage("--body is not JSON; write it as in '{\"value\":\"strict\"}'")
			}
		}
		out = append(out, c)
	}
	if t.plan != "" && len(t.chosen) == 0 {
		out = append(out, whatif.Proposed{PlanID: t.plan})
	}
	for _, id := range t.chosen {
		out = append(out, whatif.Proposed{PlanID: t.plan, ChangeID: id})
	}
	if t.terraform != "" {
		plan, err := p.terraformPlan(t.terraform)
		if err != nil {
			return nil, err
		}
		out = append(out, whatif.Proposed{TerraformPlan: plan})
	}
	if len(out) == 0 {
		return nil, usage("there is nothing to try; name METHOD and PATH, --plan or --terraform")
	}
	return out, nil
}

// terraformPlan reads a plan and keeps only what is about Cloudflare; the rest of a plan is none of
// the service's business.
func (p *program) terraformPlan(file string) (json.RawMessage, error) {
	raw, file, err := p.read(file, maxPlan)
	if err != nil {
		return nil, err
	}
	var plan struct {
		FormatVersion    string                       `json:"format_version"`
		TerraformVersion string                       `json:"terraform_version"`
		Changes          []map[string]json.RawMessage `json:"resource_changes"`
		Configuration    struct {
			Root terraformModule `json:"root_module"`
		} `json:"configuration"`
	}
	if err := json.Unmarshal(raw, &plan); err != nil {
		return nil, usage("%s is not the output of terraform show -json (%s); make it with: terraform show -json plan.bin > plan.json", file,
			reason(err))
	}
	plan.Changes = slices.DeleteFunc(plan.Changes, func(c map[string]json.RawMessage) bool {
		return !strings.Contains(string(c["provider_name"]), "cloudflare")
	})
	plan.Configuration.Root.keep()
	return json.Marshal(plan)
}

// terraformModule is the configuration of Cloudflare resources, which shows which of their values
// refer to other resources.
type terraformModule struct {
	Resources []struct {
		Address     string          `json:"address"`
		Type        string          `json:"type"`
		Expressions json.RawMessage `json:"expressions,omitempty"`
	} `json:"resources,omitempty"`
	Calls map[string]struct {
		Module *terraformModule `json:"module,omitempty"`
	} `json:"module_calls,omitempty"`
}

func (m *terraformModule) keep() {
	for i := range m.Resources {
		if !strings.HasPrefix(m.Resources[i].Type, "cloudflare_") {
			m.Resources[i].Expressions = nil
		}
	}
	for _, c := range m.Calls {
		if c.Module != nil {
			c.Module.keep()
		}
	}
}

func (s *session) try(ctx context.Context, in trial) error {
	got, err := s.api.WhatIf(ctx, in.Trial)
	if err != nil {
		return err
	}
	if in.markdown != "" {
		if err := written(in.markdown, func(f *os.File) error { return export.WriteWhatIf(f, got.Value) }); err != nil {
			return err
		}
	}
	if in.sarif != "" {
		at := declarations(".", in.terraform)
		if err := written(in.sarif, func(f *os.File) error { return export.WriteWhatIfSARIF(f, got.Value, at) }); err != nil {
			return err
		}
	}
	if err := s.show(got.Raw, func(w io.Writer) { tellWhatIf(w, got.Value) }); err != nil || in.threshold == "" {
		return err
	}
	n := 0
	for _, d := range slices.Concat(got.Value.Findings.Appear, got.Value.Findings.Worsen) {
		if d.Severity.Rank() >= in.threshold.Rank() && d.Exception == "" {
			n++
		}
	}
	if n > 0 {
		return ending(exitError, "the changes open %s of severity %s or worse; change them, or except the ones that are accepted",
			english.Plural(n, "finding", ""), in.threshold)
	}
	return nil
}

// maxDeclarations bounds a file of Terraform that is searched for declarations, in bytes.
const maxDeclarations = 1 << 20

// declarations finds where resources are declared below a directory; a resource that is not found
// is attributed to the plan file.
func declarations(dir, plan string) func(address string) export.Declared {
	block := regexp.MustCompile(`(?m)^\s*resource\s+"([^"]+)"\s+"([^"]+)"`)
	found := map[string]export.Declared{}
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && strings.HasPrefix(d.Name(), ".") && path != dir {
			return fs.SkipDir
		}
		if !d.Type().IsRegular() || filepath.Ext(path) != ".tf" {
			return nil // a link in what somebody proposes may lead anywhere
		}
		text, err := readFile(path, maxDeclarations)
		if err != nil {
			return nil //nolint:nilerr // then it is in the plan
		}
		for _, at := range block.FindAllSubmatchIndex(text, -1) {
			name := string(text[at[2]:at[3]]) + "." + string(text[at[4]:at[5]])
			if _, twice := found[name]; !twice {
				found[name] = export.Declared{File: filepath.ToSlash(path), Line: 1 + strings.Count(string(text[:at[2]]), "\n")}
			}
		}
		return nil
	})
	return func(address string) export.Declared {
		name, _, _ := strings.Cut(address, "[")
		if i := strings.LastIndex(address, "module."); i >= 0 {
			_, rest, _ := strings.Cut(address[i+len("module."):], ".")
			name, _, _ = strings.Cut(rest, "[")
		}
		if at, is := found[name]; is {
			return at
		}
		return export.Declared{File: filepath.ToSlash(plan), Line: 1}
	}
}

func tellWhatIf(w io.Writer, e whatif.WhatIf) {
	line(w, "%s, score %d now and %d after, assessment %s", english.Plural(len(e.Applied), "change", ""), e.Score.Before.Value,
		e.Score.After.Value, e.AssessmentID)
	rows := [][]string{{"", "SEVERITY", "CHECK", "ON", "FINDING"}}
	for _, of := range []struct {
		word string
		list []drift.Difference
	}{{"appears", e.Findings.Appear}, {"worsens", e.Findings.Worsen}, {"improves", e.Findings.Improve}, {"resolves", e.Findings.Resolve}} {
		for _, d := range of.list {
			rows = append(rows, []string{of.word, string(d.Severity), d.CheckID, d.Resource.Name, d.Message})
		}
	}
	if len(rows) > 1 {
		table(w, rows)
	} else {
		line(w, "no finding changes")
	}
	for _, p := range e.Paths.Appear {
		line(w, "opens the attack path %s (%s)", p.Title, p.Severity)
	}
	for _, p := range e.Paths.Break {
		line(w, "breaks the attack path %s (%s)", p.Title, p.Severity)
	}
	for _, u := range e.Undecided {
		line(w, "not known: %s: %s", u.What, u.Why)
	}
	for _, r := range e.NotJudged {
		line(w, "not judged: %s: %s", r.Address, r.Why)
	}
}
