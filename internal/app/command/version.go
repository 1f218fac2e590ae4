package command

import (
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/edgeposture/edgeposture/internal/app"
)

func (p *program) version() *cobra.Command {
	return &cobra.Command{Use: "version", Short: "Show the version, the commit and the Go it was built with", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			v := struct {
				Version  string `json:"version"`
				Commit   string `json:"commit"`
				Go       string `json:"go"`
				Platform string `json:"platform"`
			}{app.Version(), "unknown", runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}
			info, _ := debug.ReadBuildInfo()
			for i := 0; info != nil && i < len(info.Settings); i++ {
				if info.Settings[i].Key == "vcs.revision" {
					v.Commit = info.Settings[i].Value
				}
			}
			if !p.structured() {
				line(p.out, "edgeposture %s (commit %s, %s, %s)", v.Version, v.Commit, v.Go, v.Platform)
				return nil
			}
			raw, err := json.Marshal(v)
			if err != nil {
				return fmt.Errorf("write the version: %w", err)
			}
			return p.print(raw)
		}}
}

// Root returns the command tree, for generating the man pages.
func Root() *cobra.Command {
	return (&program{out: &output{WriteCloser: nopCloser{}}, errs: io.Discard, in: io.NopCloser(nil)}).root()
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }
