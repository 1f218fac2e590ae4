// Command mutants changes one thing at a time in the core packages and runs their fast tests: a change that no test
// notices survives. All mutants of a package are compiled into one test binary (see mutate.go) and switched on by an
// environment variable, so that a mutant costs one run of the tests. What survives must stand in survivors.tsv with a reason.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
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
		{"internal/engine/assess", "^TestSweep|^Fuzz"},
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
			if m.covered == "" {
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

	start := time.Now()
	out, err = tests(dir, binary, t.skip, 10*time.Minute, "MUTANT_LOG="+log)
	check(explain(err, out))
	limit := 3*time.Since(start) + 5*time.Second
	reached, err := os.ReadFile(log)
	check(err)
	for line := range strings.Lines(string(reached)) {
		var id int
		_, err := fmt.Sscan(line, &id)
		check(err)
		mutants[id-1].covered = "yes"
	}
	fmt.Fprintf(os.Stderr, "%s: %d mutants, the tests take %s\n", t.dir, len(mutants), time.Since(start).Round(time.Millisecond))
	slots, wait := make(chan struct{}, workers), sync.WaitGroup{}
	for n, m := range mutants {
		if m.covered == "" {
			continue
		}
		slots <- struct{}{}
		wait.Go(func() {
			defer func() { <-slots }()
			_, err := tests(dir, binary, t.skip, limit, fmt.Sprint("MUTANT=", n+1))
			m.killed = err != nil
		})
	}
	wait.Wait()
	return mutants
}

// tests runs the binary in a process group of its own, which ends with it: a mutant may leave servers behind.
func tests(dir, binary, skip string, limit time.Duration, env string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	args := []string{"-test.short", "-test.failfast", "-test.count=1"}
	if skip != "" {
		args = append(args, "-test.skip", skip)
	}
	cmd := exec.CommandContext(ctx, binary, args...)
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
