// Command mutants changes one thing at a time in the core packages and runs their fast tests: a change that no test
// notices survives. All mutants of a package are compiled into one test binary (see mutate.go) and switched on by an
// environment variable; of the tests those that reach a mutant are run, one after the other until one fails. What survives
// must stand in survivors.tsv with a reason.
package main

import (
	"bytes"
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// target is a package and the tests of it that take too long to run for each mutant.
type target struct{ dir, skip string }

func targets() []target {
	return []target{
		{"internal/provider/budget", ""},
		{"internal/platform/gate", ""},
		{"internal/remediation/remedy", ""},
		{"internal/engine/queue", "^Test(EveryMinute|TheStoreDecides|MissedTimes|Jitter|TheQueue|AFullRedis|Trouble|AJobThat|ManyJobs|TheLast|" +
			"TheLease|CancelsAre|Writable$)"}, // with real servers
		{"internal/engine/assess", "^Fuzz|^TestSweep(Budget|Calls|Demo|Editable|EveryPlant|Hostile|Nodes|Others|Paths|Remed|Report|" +
			"RequestsPer|Same|Scattered|Terraform|Unknown|WhatIf)"},
	}
}

func main() {
	only := flag.String("only", "", "packages whose path contains this")
	workers := flag.Int("workers", runtime.NumCPU(), "test runs at the same time")
	flag.Parse()
	root, err := filepath.Abs("..")
	check(err)
	accepted := accepted()
	var table strings.Builder
	fmt.Fprintf(&table, "\n%-30s %8s %7s %9s %6s\n", "package", "mutants", "killed", "survived", "%")
	refused := 0
	for _, t := range targets() {
		if !strings.Contains(t.dir, *only) {
			continue
		}
		mutants := run(root, t, *workers)
		killed := 0
		for _, m := range mutants {
			if m.killed {
				killed++
				continue
			}
			reason, ok := accepted[m.key()]
			if !ok {
				reason = "NOT IN survivors.tsv"
				refused++
			}
			if len(m.tests) == 0 {
				reason += " (no test comes here)"
			}
			fmt.Printf("%s\t%s\t(line %d)\n", m.key(), reason, m.line)
		}
		share := 100 * float64(killed) / float64(max(len(mutants), 1))
		fmt.Fprintf(&table, "%-30s %8d %7d %9d %6.1f\n", t.dir, len(mutants), killed, len(mutants)-killed, share)
	}
	fmt.Print(table.String())
	if refused > 0 {
		fmt.Printf("%d mutants survive and are not in tools/mutants/survivors.tsv: write a test, or a line with the reason.\n", refused)
		os.Exit(1)
	}
}

// run builds the tests of a package with all its mutants and runs them once for each.
func run(root string, t target, workers int) []*mutant {
	temp, err := os.MkdirTemp("", "mutants")
	check(err)
	defer func() { _ = os.RemoveAll(temp) }()
	dir, binary, log := filepath.Join(root, t.dir), filepath.Join(temp, "tests"), filepath.Join(temp, "log")
	mutants, overlay := mutate(root, t.dir, temp)
	build := exec.Command("go", "test", "-c", "-vet=off", "-overlay", overlay, "-o", binary, "./"+t.dir)
	build.Dir = root
	out, err := build.CombinedOutput()
	check(explain(err, out))

	found := baseline(dir, binary, log, t.skip, mutants)
	slots, wait := make(chan struct{}, workers), sync.WaitGroup{}
	for n, m := range mutants {
		if len(m.tests) == 0 {
			continue
		}
		slots <- struct{}{}
		wait.Go(func() {
			defer func() { <-slots }()
			for _, i := range m.tests {
				if _, err := runTest(dir, binary, found[i].name, 3*found[i].took+5*time.Second, fmt.Sprint("MUTANT=", n+1)); err != nil {
					m.killed = true
					return
				}
			}
		})
	}
	wait.Wait()
	return mutants
}

// test is a test of the package, and how long it takes without a mutant.
type test struct {
	name string
	took time.Duration
}

// baseline runs each test by itself, the faster first in what it returns, and notes which mutants it reaches.
func baseline(dir, binary, log, skip string, mutants []*mutant) []test {
	out, err := exec.Command(binary, "-test.list", ".").Output()
	check(err)
	skipped := regexp.MustCompile(cmp.Or(skip, "^$"))
	var found []test
	reached := map[string][]int{}
	for name := range strings.FieldsSeq(string(out)) {
		if skipped.MatchString(name) {
			continue
		}
		check(os.WriteFile(log, nil, 0o600))
		start := time.Now()
		out, err := runTest(dir, binary, name, 10*time.Minute, "MUTANT_LOG="+log)
		check(explain(err, out))
		found = append(found, test{name, time.Since(start)})
		ids, err := os.ReadFile(log)
		check(err)
		for line := range strings.FieldsSeq(string(ids)) {
			id, err := strconv.Atoi(line)
			check(err)
			reached[name] = append(reached[name], id)
		}
	}
	slices.SortFunc(found, func(a, b test) int { return cmp.Compare(a.took, b.took) })
	var whole time.Duration
	for i, t := range found {
		whole += t.took
		for _, id := range reached[t.name] {
			mutants[id-1].tests = append(mutants[id-1].tests, i)
		}
	}
	fmt.Fprintf(os.Stderr, "%s: %d mutants, %d tests of %s\n", dir, len(mutants), len(found), whole.Round(time.Millisecond))
	return found
}

// runTest runs one test in a process group of its own, which ends with it: a mutant may leave servers behind.
func runTest(dir, binary, name string, limit time.Duration, env string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, "-test.short", "-test.failfast", "-test.count=1", "-test.run", "^"+name+"$")
	cmd.Dir, cmd.Env, cmd.WaitDelay = dir, append(os.Environ(), env), time.Second
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	out, err := cmd.CombinedOutput()
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
	return out, err
}

// accepted reads the survivors that have a reason: file, function, change, reason.
func accepted() map[string]string {
	text, err := os.ReadFile("mutants/survivors.tsv")
	check(err)
	out := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if key, reason, ok := cutLast(strings.TrimSpace(line)); ok {
			out[key] = reason
		}
	}
	return out
}

func cutLast(line string) (key, reason string, ok bool) {
	at := strings.LastIndexByte(line, '\t')
	if at < 0 {
		return "", "", false
	}
	return line[:at], line[at+1:], true
}

func explain(err error, out []byte) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w\n%s", err, bytes.TrimSpace(out))
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}
