package command

import (
	"context"
	"io"
	"os"
	"strings"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/edgeposture/edgeposture/internal/app"
	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/platform/config"
	"github.com/edgeposture/edgeposture/internal/provider/record"
)

// program is one run of the command line.
type program struct {
	environ  []string
	tool     config.Tool
	in       io.ReadCloser
	out      *output
	errs     io.Writer
	terminal bool // progress can be shown
	asks     bool // somebody can be asked
	colours  bool // stdout shows colours
	shown    bool // stdout is a terminal
	started  bool // the arguments were valid
	ran      *cobra.Command

	server, keyFile, configFile, output string
	quiet, noColor                      bool

	recorder   *record.Recorder // nil when nothing is recorded
	credential secret.Text      // of login, during login and logout
}

func isTerminal(f *os.File) bool { return isatty.IsTerminal(f.Fd()) }

const (
	outputText = "text"
	outputJSON = "json"
	outputYAML = "yaml"
	outputWide = "wide" // tables with all columns
)

const exitCodes = `The exit code says how a command ended:

  0    fine
  1    an error of the service or Cloudflare; assess --ci: nothing could be judged,
       as with a token that was revoked
  2    wrong usage or input: a flag, an argument, an id, a file, the environment
  3    assess --ci: findings at or above --fail-on, or a score below --threshold,
       or one whose grade is withheld because too little could be judged
  4    assess --fail-on-gaps: completed, but something could not be read
       (3 comes first when both hold)
  5    refused: the API key, the role, the approval, the remediation switch or the
       edit token
  6    stale: the plan, the bundle or the value at Cloudflare is no longer the one meant
  7    a delivery failed, in whole or in part
  130  interrupted: the first interrupt cancels the job, the second leaves at once
`

// The groups of commands in the help.
const (
	reading = "Assess and inspect"
	fixing  = "Fix and accept"
	telling = "Report and deliver"
	running = "Accounts and service"
)

func (p *program) root() *cobra.Command {
	root := &cobra.Command{
		Use: "edgeposture", Short: "Assess how exposed a Cloudflare account is",
		Long: "Edgeposture shows how exposed a Cloudflare account is, why, and how to close it safely.\n\n" +
			"With --server, commands talk to a running service. Without it, they open the data\ndirectory (DATA_DIR) themselves, " +
			"with the environment variables of the service.",
		Example: examples("serve", "assess --demo", "issues list", "export --format html --file report.html"),
		Version: app.Version(), SilenceErrors: true, SilenceUsage: true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return p.prepare(cmd) },
	}
	root.SetIn(p.in)
	root.SetOut(p.out)
	root.SetErr(p.errs)
	root.SetFlagErrorFunc(sayFlag)
	f := root.PersistentFlags()
	f.StringVar(&p.server, "server", "", "`URL` of a running service; without it the data directory is opened")
	f.StringVar(&p.keyFile, "api-key-file", "",
		"`FILE` with an API key or service token; default EDGEPOSTURE_API_KEY, SERVICE_API_KEY or the session of login")
	f.StringVar(&p.configFile, "config", "", "YAML `FILE` with values of flags")
	f.StringVarP(&p.output, "output", "o", outputText, "output format")
	f.BoolVarP(&p.quiet, "quiet", "q", false, "print results and errors only")
	f.BoolVar(&p.noColor, "no-color", false, "no colours (also NO_COLOR)")
	choices(root, "output", "table", outputWide, outputJSON, outputYAML)
	f.Lookup("output").DefValue = "table"
	for _, title := range []string{reading, fixing, telling, running} {
		root.AddGroup(&cobra.Group{ID: title, Title: title + ":"})
	}
	in := func(group string, commands ...*cobra.Command) {
		for _, c := range commands {
			c.GroupID = group
		}
		root.AddCommand(commands...)
	}
	in(reading, p.assess(), p.diff(), p.trends(), p.explain(), p.whatIf(), p.cut(), p.checks())
	in(fixing, p.plan(), p.approve(), p.apply(), p.rollback())
	in(telling, p.export(), p.evidence(), p.verify(), p.ship(), p.notify(), p.mcp())
	in(running, p.processes()...)
	in(running, p.login(), p.logout(), p.record(), p.replayProvider(), p.version())
	root.AddCommand(p.nouns()...)
	root.AddCommand(&cobra.Command{Use: "exit-codes", Short: "What the exit codes mean", Long: exitCodes}) // a help topic without RunE
	return root
}

// choices completes a flag with the values it takes, and lists them in its help.
func choices(cmd *cobra.Command, flag string, values ...string) {
	if len(values) == 0 {
		return
	}
	f := cmd.Flag(flag)
	switch {
	case strings.Contains(f.Usage, "default"):
		f.Usage += "; one of "
	case f.Usage != "":
		f.Usage += ": "
	}
	f.Usage += strings.Join(values, ", ")
	// fails only for a flag that does not exist or was completed before
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

// examples returns command lines, given without the name of the program, as help shows them.
func examples(lines ...string) string {
	var out []string
	for _, line := range lines {
		out = append(out, "  edgeposture "+line)
	}
	return strings.Join(out, "\n")
}

// prepare completes the flags from the environment, then from the file.
func (p *program) prepare(cmd *cobra.Command) error {
	if err := p.layer(cmd); err != nil {
		return err
	}
	switch p.output {
	case "table":
		p.output = outputText
	case outputText, outputWide, outputJSON, outputYAML:
	default:
		return usage("--output is %q; use table, wide, json or yaml", clipped(p.output))
	}
	p.noColor = p.noColor || p.tool.NoColor
	p.ran = cmd
	p.started = true
	return nil
}

// fileFlags adds the flags of a command that writes a file. Its --output also accepts a file name,
// which is any value other than the usual formats.
func (p *program) fileFlags(f *pflag.FlagSet, output, file *string, what string) {
	f.StringVarP(output, "output", "o", outputText, "text, wide, json, yaml, or a name, which is taken for --file")
	f.StringVar(file, "file", "", "`FILE` "+what)
}

// fileOf interprets the value of --output as a format or a file.
func (p *program) fileOf(output string, file *string) {
	switch output {
	case "table":
		p.output = outputText
	case outputText, outputWide, outputJSON, outputYAML:
		p.output = output
	default:
		if *file == "" {
			*file = output
		}
	}
}

// action is what a command does while the service is open.
type action func(ctx context.Context, s *session) error

// do returns the run function of a command that creates jobs, and look that of a command that only
// reads. The arguments are validated before anything is opened.
func (p *program) do(judge func(cmd *cobra.Command, args []string) (action, error)) func(*cobra.Command, []string) error {
	return p.running(true, judge)
}

func (p *program) look(judge func(cmd *cobra.Command, args []string) (action, error)) func(*cobra.Command, []string) error {
	return p.running(false, judge)
}

func (p *program) running(works bool, judge func(cmd *cobra.Command, args []string) (action, error)) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		act, err := judge(cmd, args)
		if err != nil {
			return err
		}
		return p.with(cmd.Context(), works, act)
	}
}
