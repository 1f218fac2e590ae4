// Command peersbench runs FlareInspect and Edgeposture on the same simulated accounts, and prints
// how many of the planted findings each reported as a Markdown table. scripts/peers-bench downloads
// FlareInspect and runs it.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/checks"
	"github.com/edgeposture/edgeposture/internal/provider/resolve"
	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
)

func main() {
	ours := flag.String("edgeposture", "bin/edgeposture", "the program")
	peer := flag.String("flareinspect", "", "folder of FlareInspect with its packages installed")
	flag.Parse()
	if err := run(context.Background(), *ours, *peer); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// sizes returns the numbers of zones of the accounts; the zones cycle through the plans, with one
// possible finding in five planted.
func sizes() []int { return []int{5, 40} }

func run(ctx context.Context, ours, peer string) error {
	ours, err := filepath.Abs(ours)
	if err != nil {
		return fmt.Errorf("find the program: %w", err)
	}
	fmt.Println("| zones | | planted | found | of checks both have | found | called wrong though in order | requests | seconds | memory |\n" +
		"|---|---|---|---|---|---|---|---|---|---|")
	for _, zones := range sizes() {
		zoneOf := map[string]string{} // zone of each resource, as read by Edgeposture
		for _, tool := range []struct {
			name string
			run  func(context.Context, account) ([]verdict, usage, error)
		}{{"Edgeposture", edgeposture(ours, zoneOf)}, {"FlareInspect", flareinspect(peer)}} {
			row, err := measure(ctx, zones, zoneOf, tool.run)
			if err != nil {
				return fmt.Errorf("assess %d zones with %s: %w", zones, tool.name, err)
			}
			fmt.Printf("| %d | %s | %d | %d | %d | %d | %d | %d | %.1f | %d MB |\n", zones, tool.name, row.planted, row.found, row.shared,
				row.foundShared, row.wrong, row.requests, row.took.Seconds(), row.memory>>20)
		}
	}
	return nil
}

// account is what a tool needs to assess a simulated account.
type account struct{ url, dns, token, home string }

// verdict is a resource that a tool reports. Check is the tool's own id.
type verdict struct{ check, resource string }

type usage struct {
	took   time.Duration
	memory int64 // peak, in bytes
}

type row struct {
	usage
	planted, found, shared, foundShared, wrong, requests int
}

func measure(ctx context.Context, zones int, zoneOf map[string]string,
	tool func(context.Context, account) ([]verdict, usage, error)) (out row, err error) {
	o := simcloud.Options{Seed: 7, Accounts: []simcloud.AccountSpec{{Zones: zones, RecordsPerZone: 30, Plant: 0.2,
		Plans: []string{"free", "pro", "business", "enterprise"}}}}
	o.Limit.Disabled = true
	cloud := simcloud.New(o)
	server, err := cloud.Start("127.0.0.1:0")
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, server.Close()) }()
	names, err := resolve.Serve(ctx, "127.0.0.1:0", cloud)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, names.Close()) }()
	home, err := os.MkdirTemp("", "peersbench")
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(home)) }()
	said, used, err := tool(ctx, account{url: server.URL, dns: names.Addr, token: cloud.Tokens()[0].Secret, home: home})
	if err != nil {
		return out, err
	}
	out.usage, out.requests = used, cloud.Requests().Total
	out.count(cloud, zoneOf, said)
	return out, nil
}

// count compares a tool's verdicts with the planted findings. A peer reports most of a zone as a
// whole, so for findings planted on a record or a rule its verdict on the zone counts too.
func (r *row) count(cloud *simcloud.Cloud, zoneOf map[string]string, said []verdict) {
	says := map[verdict]bool{}
	for _, v := range said {
		says[v] = true
	}
	names := map[string][]string{} // tools' names of a check, by our id
	known := map[string]bool{}     // our checks that a peer also has
	for _, c := range checks.All() {
		names[c.ID] = []string{c.ID}
		for _, alias := range c.Aliases {
			if peer, ok := strings.CutPrefix(alias, "flareinspect:"); ok {
				names[c.ID], known[c.ID] = append(names[c.ID], "flareinspect:"+peer), true
			}
		}
	}
	id := cloud.Accounts()[0]
	planted := map[verdict]bool{} // our check and the resource, its zone or the account
	for _, p := range cloud.Truth(id) {
		r.planted++
		at := []string{p.ResourceID}
		if zone := zoneOf[p.ResourceID]; zone != "" {
			at = append(at, zone)
		} else {
			at = append(at, id)
		}
		found := false
		for _, where := range at {
			planted[verdict{p.CheckID, where}] = true
			for _, name := range names[p.CheckID] {
				found = found || says[verdict{name, where}]
			}
		}
		if known[p.CheckID] {
			r.shared++
		}
		if found {
			if r.found++; known[p.CheckID] {
				r.foundShared++
			}
		}
	}
	of := map[string][]string{} // our checks by a tool's name
	for check, all := range names {
		for _, name := range all {
			of[name] = append(of[name], check)
		}
	}
	for v := range says {
		like := slices.DeleteFunc(of[v.check], func(check string) bool { return !known[check] || !slices.Contains(simcloud.Covered(), check) })
		if len(like) > 0 && !slices.ContainsFunc(like, func(check string) bool { return planted[verdict{check, v.resource}] }) {
			r.wrong++
		}
	}
}

func flareinspect(dir string) func(context.Context, account) ([]verdict, usage, error) {
	return func(ctx context.Context, a account) ([]verdict, usage, error) {
		cmd := exec.CommandContext(ctx, "node", "src/cli/index.js", "--quiet", "assess", "--ci", "--no-export", "--token", a.token)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "HOME="+a.home, "CLOUDFLARE_BASE_URL="+a.url)
		raw, used, err := measured(cmd, 0, 1, 2) // its exit codes depend on its findings
		if err != nil {
			return nil, used, err
		}
		_, answer, found := bytes.Cut(raw, []byte("\n{\n")) // preceded by lines of its log
		if !found {
			return nil, used, fmt.Errorf("it printed no JSON: %.300s", raw)
		}
		var got struct {
			Findings []struct{ CheckID, Status, ResourceID string }
		}
		if err := json.Unmarshal(append([]byte("{\n"), answer...), &got); err != nil {
			return nil, used, fmt.Errorf("read its JSON: %w", err)
		}
		var out []verdict
		for _, f := range got.Findings {
			if f.Status == "FAIL" || f.Status == "WARNING" {
				out = append(out, verdict{"flareinspect:" + f.CheckID, f.ResourceID})
			}
		}
		return out, used, nil
	}
}

func edgeposture(program string, zoneOf map[string]string) func(context.Context, account) ([]verdict, usage, error) {
	return func(ctx context.Context, a account) ([]verdict, usage, error) {
		env := append(os.Environ(), "HOME="+a.home, "DATA_DIR="+a.home, "CLOUDFLARE_BASE_URL="+a.url, "CLOUDFLARE_API_TOKEN="+a.token,
			"SERVICE_DNS_RESOLVER="+a.dns, "CLOUDFLARE_REQUESTS_PER_5M=1000000")
		cmd := exec.CommandContext(ctx, program, "assess", "--quiet")
		cmd.Env = env
		_, used, err := measured(cmd, 0)
		if err != nil {
			return nil, used, err
		}
		export := exec.CommandContext(ctx, program, "export", "--format", "json", "--file", "-")
		export.Env = env
		raw, _, err := measured(export, 0)
		if err != nil {
			return nil, used, err
		}
		var got struct {
			Findings []struct {
				CheckID, Result string
				Resource        struct{ ID, ZoneID string }
			}
		}
		if err := json.Unmarshal(raw, &got); err != nil {
			return nil, used, fmt.Errorf("read its JSON: %w", err)
		}
		var out []verdict
		for _, f := range got.Findings {
			zoneOf[f.Resource.ID] = f.Resource.ZoneID
			if f.Result == "FAIL" || f.Result == "WARNING" {
				out = append(out, verdict{f.CheckID, f.Resource.ID})
			}
		}
		return out, used, nil
	}
}

// measured runs a command that may exit with one of the given codes.
func measured(cmd *exec.Cmd, codes ...int) ([]byte, usage, error) {
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	start := time.Now()
	err := cmd.Run()
	used := usage{took: time.Since(start)}
	if r, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		used.memory = r.Maxrss << 10
	}
	for _, code := range codes {
		if cmd.ProcessState.ExitCode() == code {
			return out.Bytes(), used, nil
		}
	}
	return nil, used, fmt.Errorf("%s: %w: %.500s", filepath.Base(cmd.Path), err, errs.Bytes())
}
