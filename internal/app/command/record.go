package command

import (
	"compress/gzip"
	"context"
	"crypto/rand"
	"io"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/edgeposture/edgeposture/internal/api/client"
	"github.com/edgeposture/edgeposture/internal/app"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/platform/config"
	"github.com/edgeposture/edgeposture/internal/provider/cloudflare"
	"github.com/edgeposture/edgeposture/internal/provider/record"
)

func (p *program) record() *cobra.Command {
	r := posture.AssessRequest{Profile: posture.ProfileFull}
	var file string
	cmd := &cobra.Command{Use: "record", Args: cobra.NoArgs,
		Short:   "Assess an account and record Cloudflare's answers, with names and secrets replaced",
		Example: examples("record --out recording.json.gz"),
		Long: "Assess an account and record every answer of Cloudflare and DNS, with names, addresses,\nids, texts and secrets " +
			"replaced. Reads what a full assessment reads, changes\nnothing there. Read the file before you hand it to anybody. edgeposture\n" +
			"replay-provider serves it."}
	f := cmd.Flags()
	f.StringVar(&file, "out", "", "`FILE` to write; compressed when its name ends in .gz")
	f.StringVar(&r.Account, "account", "", "id or name of a registered account; default: the default account")
	f.StringSliceVar(&r.Zones, "zone", nil, "only these zones: names, ids or patterns with * and ?")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if file == "" {
			return usage("--out is missing; name the file to write")
		}
		if p.server != "" {
			return usage("record reads the account from this process; leave out --server and set CLOUDFLARE_API_TOKEN")
		}
		cfg, err := config.Load(embeddedEnviron(p.environ))
		if err != nil {
			return usage("%s", err)
		}
		if !cfg.Embedded() {
			return usage("record reads the account in this process; leave out DATABASE_URL and REDIS_URL")
		}
		return written(file, func(f *os.File) error {
			if !strings.HasSuffix(file, ".gz") {
				return p.recorded(cmd.Context(), f, cfg.BaseURL, file, r)
			}
			z := gzip.NewWriter(f)
			if err := p.recorded(cmd.Context(), z, cfg.BaseURL, file, r); err != nil {
				return err
			}
			return z.Close()
		})
	}
	return cmd
}

func (p *program) recorded(ctx context.Context, out io.Writer, base, file string, r posture.AssessRequest) error {
	replacer, err := record.NewReplacer(rand.Reader)
	if err != nil {
		return err
	}
	address, err := url.Parse(base)
	if err != nil {
		return usage("CLOUDFLARE_BASE_URL is no address: %s", err)
	}
	recorder, began := record.NewRecorder(cloudflare.NewPool(), address.Path), time.Now()
	p.recorder = recorder
	err = p.embedded(ctx, true, func(ctx context.Context, s *session) error {
		_, err := s.work(ctx, client.Assess(r))
		return err
	})
	if err != nil {
		return err
	}
	n, err := recorder.Write(out, app.Version(), replacer, began)
	if err != nil {
		return err
	}
	p.say("%s: %d answers; read the file before you hand it to anybody", file, n)
	return nil
}
