// Command simserver serves a simulated Cloudflare account on loopback, for
// trying a client by hand. Point CLOUDFLARE_BASE_URL at the address it prints.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/edgeposture/edgeposture/internal/simcloud"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run serves until the context ends.
func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("simserver", flag.ContinueOnError)
	addr := flags.String("addr", "127.0.0.1:0", "listen address, host:port")
	zones := flags.Int("zones", 3, "number of zones")
	records := flags.Int("records", 24, "DNS records per zone")
	seed := flags.Uint64("seed", 1, "seed of all names, ids and choices")
	clean := flags.Bool("clean", false, "serve an account without planted findings")
	demo := flags.Bool("demo", false, "serve the demo account (zones, records, seed and clean are not used)")
	token := flags.String("token", "", "bearer token to accept (a generated one when empty)")
	writable := flags.Bool("writable", false, "let the token change things")
	control := flags.String("control", "", "loopback address that serves /state/{account} and /writes (none when empty)")
	if err := flags.Parse(args); err != nil {
		return fmt.Errorf("flags cannot be read: %w", err)
	}
	opts := simcloud.Options{Seed: *seed, Accounts: []simcloud.AccountSpec{{Zones: *zones, RecordsPerZone: *records, Clean: *clean, Plant: 0.1}}}
	if *demo {
		opts = simcloud.Demo()
	}
	if *token != "" || *writable {
		opts.Tokens = []simcloud.Token{{Secret: *token, CanWrite: *writable}}
	}
	cloud := simcloud.New(opts)
	server, err := cloud.Start(*addr)
	if err != nil {
		return err
	}
	names, err := cloud.StartDNS("127.0.0.1:0")
	if err != nil {
		return errors.Join(err, server.Close())
	}
	stop, err := watch(*control, cloud, out)
	if err != nil {
		return errors.Join(err, server.Close(), names.Close())
	}
	_, _ = fmt.Fprintf(out, "CLOUDFLARE_BASE_URL=%s\nCLOUDFLARE_API_TOKEN=%s\nSERVICE_DNS_RESOLVER=%s\n", server.URL, cloud.Tokens()[0].Secret, names.Addr)
	for _, id := range cloud.Accounts() {
		_, _ = fmt.Fprintf(out, "account %s: %d planted findings\n", id, len(cloud.Truth(id)))
	}
	<-ctx.Done()
	return errors.Join(stop(), server.Close(), names.Close())
}
