// Command simserver runs the simulated provider as a separate process, for tests that are not
// written in Go. Its one argument is [simcloud.Options] as JSON, or "demo" for the options of the
// demo account. It prints one line on standard output with its addresses and the accepted
// credentials. The lines "hold PART…" and "release" on standard input block the requests whose path
// contains one of the parts, and let them continue. It exits when standard input is closed, so that
// it does not outlive the process that started it.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/edgeposture/edgeposture/internal/provider/resolve"
	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
)

// place is the printed line: how to reach a cloud.
type place struct {
	// URL is the base address for clients, DNS the host:port of the name server.
	URL string `json:"url"`
	DNS string `json:"dns"`
	// Accounts are provider ids, Tokens the secrets, each in the order of the options.
	Accounts []string `json:"accounts"`
	Tokens   []string `json:"tokens"`
}

func main() {
	if err := run(os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string, in io.Reader, out io.Writer) (err error) {
	if len(args) != 1 {
		return errors.New("usage: simserver demo, or simserver '{\"Accounts\":[{\"Zones\":1000}]}'")
	}
	options, err := read(args[0])
	if err != nil {
		return err
	}
	cloud := simcloud.New(options)
	server, err := cloud.Start("127.0.0.1:0")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Close()) }()
	names, err := resolve.Serve(context.Background(), "127.0.0.1:0", cloud)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, names.Close()) }()
	at := place{URL: server.URL, DNS: names.Addr, Accounts: cloud.Accounts()}
	for _, token := range cloud.Tokens() {
		at.Tokens = append(at.Tokens, token.Secret)
	}
	if err := json.NewEncoder(out).Encode(at); err != nil {
		return fmt.Errorf("say where it listens: %w", err)
	}
	release := func() {}
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		switch command, parts, _ := strings.Cut(lines.Text(), " "); command {
		case "hold":
			release = cloud.Hold(strings.Fields(parts)...)
		case "release":
			release()
		default:
			return fmt.Errorf("read a command: %q is neither hold nor release", command)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("wait for the end: %w", err)
	}
	return nil
}

func read(arg string) (options simcloud.Options, err error) {
	if arg == "demo" {
		options = simcloud.Demo()
		options.Limit.Disabled = true
		return options, nil
	}
	decoder := json.NewDecoder(strings.NewReader(arg))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&options); err != nil {
		return options, fmt.Errorf("read the options: %w", err)
	}
	return options, nil
}
