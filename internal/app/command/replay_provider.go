package command

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/edgeposture/edgeposture/internal/provider/record"
)

func (p *program) replayProvider() *cobra.Command {
	var listen string
	cmd := &cobra.Command{Use: "replay-provider FILE", Short: "Serve a record as if it were the provider", Args: cobra.ExactArgs(1),
		Long: "Serve a record of edgeposture record as if it were the provider, to any token, until it\nis interrupted. It prints the address " +
			"to set CLOUDFLARE_BASE_URL to. Set\nCLOUDFLARE_API_TOKEN to any word and SERVICE_DNS_RESOLVER to off."}
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

func player(file string) (*record.Player, error) {
	f, err := os.Open(file) //nolint:gosec // the caller names it
	if err != nil {
		return nil, usage("%s cannot be read: %s", file, reason(err))
	}
	defer func() { _ = f.Close() }()
	in := io.Reader(f)
	if strings.HasSuffix(file, ".gz") {
		if in, err = gzip.NewReader(f); err != nil {
			return nil, usage("%s is not compressed: %s", file, err)
		}
	}
	made, err := record.NewPlayer(in, time.Now())
	if err != nil {
		return nil, usage("%s cannot be served: %s", file, err)
	}
	return made, nil
}

func (p *program) play(ctx context.Context, listen string, player *record.Player) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", listen)
	if err != nil {
		return fmt.Errorf("listen on %s: %w", listen, err)
	}
	server := &http.Server{Handler: player, ReadHeaderTimeout: 10 * time.Second}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stop()
	line(p.out, "http://%s%s", listener.Addr(), record.BasePath)
	p.say("%d answers are served; interrupt to end", player.Answers())
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve the record: %w", err)
	}
	return nil
}
