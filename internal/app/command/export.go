package command

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/edgeposture/edgeposture/internal/delivery/export"
)

const standard = "-"

var errNoText = usage("this is no text for a terminal; name a file with --file, or - to print it all the same")

func (p *program) export() *cobra.Command {
	var format, assessment, account, target, file string
	var aws export.ASFF
	var full, brief bool
	cmd := &cobra.Command{Use: "export", Short: "Write an assessment as HTML, PDF, SARIF, CSV and other formats", Args: cobra.NoArgs,
		Example: examples("export --format html --file report.html", "export --format sarif --account prod --file posture.sarif",
			"export --format markdown --file summary.md")}
	names := export.Names()
	f := cmd.Flags()
	f.StringVar(&format, "format", "json", "the format")
	choices(cmd, "format", names...)
	f.StringVar(&assessment, "assessment", "", "`ID` of the assessment, or latest; default: the newest run of everything, of any account")
	f.StringVar(&account, "account", "", "id or name of an account, for its newest run of everything")
	f.StringVar(&aws.AccountID, "aws-account", "", "asff: the AWS account that imports the findings, 12 digits")
	f.StringVar(&aws.Region, "aws-region", "", "asff: the AWS region that imports them; default us-east-1")
	f.BoolVar(&full, "full", false, "markdown: every finding with its evidence, instead of a summary of at most 60 kB")
	f.BoolVar(&brief, "summary", false, "pdf and html: only the executive summary")
	p.fileFlags(f, &target, &file, "to write; - is stdout")
	cmd.RunE = p.look(func(*cobra.Command, []string) (action, error) {
		p.fileOf(target, &file)
		if !slices.Contains(names, format) {
			return nil, usage("there is no format %q; use %s", clipped(format), strings.Join(names, ", "))
		}
		if format == "asff" && aws.AccountID == "" {
			p.say("the findings name the AWS account 000000000000, which no import takes; name yours with --aws-account")
		}
		query := url.Values{}
		for name, value := range map[string]string{"awsAccountId": aws.AccountID, "awsRegion": aws.Region} {
			if value != "" && format == "asff" {
				query.Set(name, value)
			}
		}
		if brief || format == "markdown" && !full {
			query.Set("summary", "true")
		}
		if format == "pdf" && p.shown && file == "" {
			return nil, errNoText
		}
		return func(ctx context.Context, s *session) error {
			return s.saved(file, format, func(to io.Writer) (int64, error) {
				return s.api.Download(ctx, format, assessment, account, query, to)
			})
		}, nil
	})
	return cmd
}

// saved writes a download to a file, and says what that holds, or to stdout.
func (s *session) saved(file, what string, download func(io.Writer) (int64, error)) error {
	if file == "" || file == standard {
		_, err := download(s.out)
		return err
	}
	var n int64
	err := written(file, func(f *os.File) (err error) {
		n, err = download(f)
		return err
	})
	if err == nil {
		s.say("%s: %d bytes of %s", file, n, what)
	}
	return err
}

// written creates a file atomically: it writes a temporary file in the same directory, which only
// the owner can read, and renames it at the end. What is there and no plain file, as /dev/stdout, a pipe or a
// link, is written to and stays what it is: a rename would put the file in its place.
func written(file string, write func(*os.File) error) (err error) {
	own, err := os.Lstat(file)
	at, lost := os.Stat(file) // a link that leads nowhere is replaced
	switch {
	case err != nil || lost != nil || own.Mode().IsRegular():
	case at.IsDir():
		return usage("%s is a directory; name a file in it", file)
	default:
		return through(file, write)
	}
	f, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+".*")
	if err != nil {
		return usage("%s cannot be written (%s); name a file in a directory this user may write", file, reason(err))
	}
	defer func() {
		if err != nil {
			_ = f.Close()
			_ = os.Remove(f.Name())
		}
	}()
	if err := write(f); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return fmt.Errorf("write %s: %w", file, reason(err))
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("write %s: %w", file, reason(err))
	}
	if err := os.Rename(f.Name(), file); err != nil {
		return usage("%s cannot be written (%s); name another file", file, reason(err))
	}
	return nil
}

// through writes to what a name leads to. It opens it as it is named, for the kernel refuses links that others left in /tmp.
func through(file string, write func(*os.File) error) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_TRUNC, 0) //nolint:gosec // the caller names the file
	if err != nil {
		return usage("%s cannot be written (%s); name another file", file, reason(err))
	}
	err = write(f)
	if closed := f.Close(); err == nil && closed != nil {
		return fmt.Errorf("write %s: %w", file, reason(closed))
	}
	return err
}
