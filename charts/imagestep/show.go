package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// show lists the root of the last stage and starts what is in it.
func show(ctx context.Context, s *stage) error {
	fmt.Printf("\nin the image, on top of its base (user %s):\n", s.user)
	var total int64
	err := filepath.WalkDir(s.root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		own, ok := info.Sys().(*syscall.Stat_t)
		if !ok {
			return errors.New("the owner of a file cannot be read here")
		}
		below, _ := filepath.Rel(s.root, path)
		if !d.IsDir() {
			total += info.Size()
		}
		fmt.Printf("%s %5d:%-5d %10d /%s\n", info.Mode(), own.Uid, own.Gid, info.Size(), below)
		return nil
	})
	if err != nil {
		return err
	}
	fmt.Printf("%.1f MB\n\n", float64(total)/1e6)
	return try(ctx, s)
}

// try starts the programs as a container would: nothing but this root, which
// cannot be written, /data alone excepted, and a user without rights.
func try(ctx context.Context, s *stage) error {
	data := filepath.Join(s.root, "data")
	if err := syscall.Mount(s.root, s.root, "", syscall.MS_BIND|syscall.MS_REC, ""); err != nil {
		return fmt.Errorf("bind the root: %w", err)
	}
	if err := syscall.Mount("tmpfs", data, "tmpfs", 0, "mode=0700,uid=65532,gid=65532"); err != nil {
		return fmt.Errorf("mount /data: %w", err)
	}
	if err := syscall.Mount("", s.root, "", syscall.MS_BIND|syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		return fmt.Errorf("make the root read-only: %w", err)
	}
	if err := os.WriteFile(filepath.Join(s.root, "probe"), nil, 0o600); err == nil {
		return errors.New("the root can be written")
	}
	port, err := freePort(ctx)
	if err != nil {
		return err
	}
	s.env["PORT"], s.env["SERVICE_DNS_RESOLVER"] = port, "off"
	const program = "/usr/local/bin/edgeposture"
	for _, args := range [][]string{{program, "migrate"}, {program, "--version"}} {
		out, err := s.program(ctx, args).CombinedOutput()
		fmt.Printf("$ %s\n%s", strings.Join(args, " "), out)
		if err != nil {
			return fmt.Errorf("%v: %w", args, err)
		}
	}
	return s.serve(ctx, program)
}

// serve starts the API, waits until its health is good, and stops it.
func (s *stage) serve(ctx context.Context, program string) error {
	start := time.Now()
	running := s.program(ctx, []string{program, "serve"})
	var log bytes.Buffer
	running.Stdout, running.Stderr = &log, &log
	if err := running.Start(); err != nil {
		return err
	}
	defer func() { _ = running.Process.Kill() }() // not there any more when all went well
	for s.program(ctx, []string{program, "serve", "health"}).Run() != nil {
		if time.Since(start) > 30*time.Second {
			return fmt.Errorf("the service is not ready after 30 s:\n%s", log.String())
		}
	}
	fmt.Printf("$ %s\nready after %.2f s, read-only root, user %s, /data alone written\n", program, time.Since(start).Seconds(), s.user)
	if err := running.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	stop := time.Now()
	if err := running.Wait(); err != nil {
		return fmt.Errorf("stop the service: %w\n%s", err, log.String())
	}
	fmt.Printf("ended with 0, %.2f s after SIGTERM; peak memory %.0f MB\n", time.Since(stop).Seconds(), peak(running.ProcessState))
	return nil
}

func peak(p *os.ProcessState) float64 {
	u, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	return float64(u.Maxrss) / 1000
}

func (s *stage) program(ctx context.Context, args []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...) //nolint:gosec // the programs of the image
	cmd.Path, cmd.Err = args[0], nil
	cmd.Env, cmd.Dir = pairs(s.env), "/"
	u, g, _ := strings.Cut(s.user, ":")
	uid, _ := strconv.ParseUint(u, 10, 32)
	gid, _ := strconv.ParseUint(g, 10, 32)
	cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: s.root, Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
	return cmd
}

func freePort(ctx context.Context) (string, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	_, port, err := net.SplitHostPort(l.Addr().String())
	return port, errors.Join(err, l.Close())
}
