package command

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"math"
	"net"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/edgeposture/edgeposture/internal/provider/record"
	"github.com/edgeposture/edgeposture/internal/provider/resolve"
)

func (p *program) replayProvider() *cobra.Command {
	var listen string
	cmd := &cobra.Command{Use: "replay-provider FILE", Short: "Serve a recording as if it were Cloudflare", Args: cobra.ExactArgs(1),
		Long: "Serve a recording of edgeposture record as if it were Cloudflare and DNS, to any token,\nuntil it is interrupted. It " +
			"prints the settings to assess it with; set\nCLOUDFLARE_API_TOKEN to any word beside them.",
		Example: examples("replay-provider recording.json.gz --listen 127.0.0.1:9000")}
	cmd.Flags().StringVar(&listen, "listen", "127.0.0.1:0", "loopback `ADDRESS` to listen on")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		host, _, err := net.SplitHostPort(listen)
		if ip := net.ParseIP(host); err != nil || ip == nil || !ip.IsLoopback() {
			return usage("--listen is %q; use a loopback address with a port, such as 127.0.0.1:0", listen)
		}
		player, err := player(args[0])
		if err != nil {
			return err
		}
		return p.play(cmd.Context(), listen, player)
	}
	return cmd
}

// mostPacked is how often the size of a compressed recording its answers may have, because they are held in memory. Those of real
// accounts have seven times its size.
const mostPacked = 100

func unpacked(f *os.File) (*io.LimitedReader, error) {
	of, err := f.Stat()
	if err != nil {
		return nil, err //nolint:wrapcheck // the caller names the file
	}
	z, err := gzip.NewReader(f)
	return &io.LimitedReader{R: z, N: mostPacked * of.Size()}, err //nolint:wrapcheck // the caller names the file
}

func player(file string) (*record.Player, error) {
	f, err := os.Open(file) //nolint:gosec // the caller names it
	if err != nil {
		return nil, usage("%s cannot be read: %s", file, reason(err))
	}
	defer func() { _ = f.Close() }()
	in := &io.LimitedReader{R: f, N: math.MaxInt64}
	if strings.HasSuffix(file, ".gz") {
		if in, err = unpacked(f); err != nil {
			return nil, usage("%s is not compressed: %s", file, err)
		}
	}
	made, err := record.NewPlayer(in, time.Now())
	if in.N <= 0 {
		return nil, usage("%s cannot be served: it unpacks to more than %d times its size, as no recording does", file, mostPacked)
	}
	if err != nil {
		return nil, usage("%s cannot be served: %s", file, err)
	}
	return made, nil
}

func (p *program) play(ctx context.Context, listen string, player *record.Player) error {
	provider, err := record.Start(ctx, player, listen)
	if err != nil {
		return err
	}
	names, err := resolve.Serve(ctx, "127.0.0.1:0", player)
	if err != nil {
		return errors.Join(err, provider.Close())
	}
	line(p.out, "CLOUDFLARE_BASE_URL=%s", provider.URL)
	line(p.out, "SERVICE_DNS_RESOLVER=%s", names.Addr)
	p.say("%d answers are served; interrupt to end", player.Answers())
	<-ctx.Done()
	return errors.Join(provider.Close(), names.Close())
}
