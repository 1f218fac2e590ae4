// Command imagestep follows a Dockerfile step by step without a container engine:
// each stage has a root directory of its own, RUN runs in it (chroot), COPY copies
// what .dockerignore lets through. The bases of build stages are stood in for by
// the toolchains of this machine, read-only; the last stage begins empty. Then it
// shows what is in that root and starts it, read-only and without rights. It must
// run in a mount namespace of its own: scripts/image-steps makes one.
//
//	imagestep <context> <work> [NAME=value …]
package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
	"github.com/moby/buildkit/frontend/dockerfile/shell"
)

func main() {
	if len(os.Args) < 3 {
		_, _ = fmt.Fprintln(os.Stderr, "imagestep: give the directory to build from, an empty directory to work in, and build arguments")
		os.Exit(2)
	}
	b := &build{context: os.Args[1], work: os.Args[2], roots: map[string]string{},
		args: map[string]string{"TARGETOS": runtime.GOOS, "TARGETARCH": runtime.GOARCH}} // which a builder knows itself
	for _, a := range os.Args[3:] {
		k, v, _ := strings.Cut(a, "=")
		b.args[k] = v
	}
	if err := b.run(context.Background()); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "imagestep:", err)
		os.Exit(1)
	}
}

type build struct {
	context, work string
	args          map[string]string // given from outside
	roots         map[string]string // of the stages, by name
}

// stage is the state of one stage.
type stage struct {
	root, dir, user string
	env             map[string]string
}

func (b *build) run(ctx context.Context) error {
	raw, err := os.ReadFile(filepath.Join(b.context, "Dockerfile"))
	if err != nil {
		return fmt.Errorf("read the Dockerfile: %w", err)
	}
	parsed, err := parser.Parse(bytes.NewReader(raw))
	if err != nil {
		return fmt.Errorf("parse the Dockerfile: %w", err)
	}
	stages, _, err := instructions.Parse(parsed.AST, nil)
	if err != nil {
		return fmt.Errorf("parse the Dockerfile: %w", err)
	}
	var last *stage
	for i, s := range stages {
		name := s.Name
		if name == "" {
			name = "image"
		}
		last = &stage{root: filepath.Join(b.work, name), dir: "/", user: "0:0", env: map[string]string{}}
		b.roots[name] = last.root
		if err := os.MkdirAll(last.root, 0o755); err != nil {
			return err
		}
		if i < len(stages)-1 {
			if err := standIn(ctx, last.root); err != nil {
				return fmt.Errorf("prepare the stage %s: %w", name, err)
			}
		}
		for _, c := range s.Commands {
			start := time.Now()
			if err := b.step(ctx, last, c); err != nil {
				return fmt.Errorf("%s: %w", c, err)
			}
			fmt.Printf("%-6s %6.1f s  %.110s\n", name, time.Since(start).Seconds(), strings.Join(strings.Fields(fmt.Sprint(c)), " "))
		}
	}
	return show(ctx, last)
}

// standIn gives a build stage the toolchains of this machine: its system
// directories, and the caches of its registries' clients.
func standIn(ctx context.Context, root string) error {
	mounts := []string{"/usr", "/etc", "/proc", "/dev"}
	for _, dir := range append(mounts, caches(ctx)...) {
		if err := bind(dir, filepath.Join(root, dir)); err != nil {
			return err
		}
	}
	for _, link := range []string{"bin", "lib", "lib64", "sbin"} {
		if to, err := os.Readlink("/" + link); err == nil {
			if err := os.Symlink(to, filepath.Join(root, link)); err != nil {
				return err
			}
		}
	}
	return os.MkdirAll(filepath.Join(root, "tmp"), 0o1777)
}

// caches are the directories that a build may share with others.
func caches(ctx context.Context) []string {
	var out []string
	for _, name := range []string{"GOMODCACHE", "GOCACHE"} {
		if dir, err := exec.CommandContext(ctx, "go", "env", name).Output(); err == nil {
			out = append(out, strings.TrimSpace(string(dir)))
		}
	}
	return out
}

func bind(from, to string) error {
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	if err := syscall.Mount(from, to, "", syscall.MS_BIND|syscall.MS_REC, ""); err != nil {
		return fmt.Errorf("bind %s: %w", from, err)
	}
	return nil
}

func (b *build) step(ctx context.Context, s *stage, c instructions.Command) error {
	expand := func(word string) (string, error) {
		out, _, err := shell.NewLex('\\').ProcessWord(word, shell.EnvsFromSlice(pairs(s.env)))
		return out, err
	}
	if e, ok := c.(instructions.SupportsSingleWordExpansion); ok {
		if err := e.Expand(expand); err != nil {
			return err
		}
	}
	switch c := c.(type) {
	case *instructions.ArgCommand:
		for _, a := range c.Args {
			s.env[a.Key] = a.ValueString()
			if given, ok := b.args[a.Key]; ok {
				s.env[a.Key] = given
			}
		}
	case *instructions.EnvCommand:
		for _, kv := range c.Env {
			s.env[kv.Key] = kv.Value
		}
	case *instructions.WorkdirCommand:
		s.dir = c.Path
		return os.MkdirAll(filepath.Join(s.root, c.Path), 0o755)
	case *instructions.UserCommand:
		s.user = c.User
	case *instructions.CopyCommand:
		return b.copy(s, c)
	case *instructions.RunCommand:
		cmd := exec.CommandContext(ctx, "/bin/sh", "-c", strings.Join(c.CmdLine, " ")) //nolint:gosec // the steps of our own Dockerfile
		cmd.Dir, cmd.Env = s.dir, append(os.Environ(), pairs(s.env)...)
		// As in the image of the toolchain: flags of this machine do not count.
		cmd.Env = append(cmd.Env, "GOFLAGS=", "GOWORK=off", "GOTOOLCHAIN=local", "CI=true", "HOME=/tmp")
		for i, dir := range caches(ctx) {
			cmd.Env = append(cmd.Env, []string{"GOMODCACHE=", "GOCACHE="}[i]+dir)
		}
		cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: s.root}
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%w\n%s", err, out)
		}
	}
	return nil
}

func pairs(env map[string]string) []string {
	var out []string
	for k, v := range env {
		out = append(out, k+"="+v)
	}
	return out
}
