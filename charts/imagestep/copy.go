package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/patternmatcher"
	"github.com/moby/patternmatcher/ignorefile"
)

// copy does a COPY of files and directories, from the context or another stage.
func (b *build) copy(s *stage, c *instructions.CopyCommand) error {
	from, skip := b.roots[c.From], func(string) bool { return false }
	if c.From == "" {
		from = b.context
		ignored, err := ignore(b.context)
		if err != nil {
			return err
		}
		skip = ignored
	}
	to := c.DestPath
	if !strings.HasPrefix(to, "/") {
		to = s.dir + "/" + to
	}
	uid, gid, err := owner(c.Chown)
	if err != nil {
		return err
	}
	for _, source := range c.SourcePaths {
		source = filepath.Clean("/" + source)
		info, err := os.Stat(filepath.Join(from, source))
		if err != nil {
			return err
		}
		target := filepath.Join(s.root, to)
		if !info.IsDir() && strings.HasSuffix(to, "/") {
			target = filepath.Join(target, filepath.Base(source))
		}
		copied, err := tree(from, source, target, uid, gid, skip)
		if err != nil {
			return err
		}
		if copied == 0 && !info.IsDir() {
			return fmt.Errorf("%s is kept out by .dockerignore", source)
		}
	}
	return nil
}

// ignore tells what .dockerignore keeps out of the context.
func ignore(context string) (func(string) bool, error) {
	f, err := os.Open(filepath.Join(context, ".dockerignore")) //nolint:gosec // a fixed name in the directory that is built
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	patterns, err := ignorefile.ReadAll(f)
	if err != nil {
		return nil, err
	}
	m, err := patternmatcher.New(patterns)
	if err != nil {
		return nil, err
	}
	return func(path string) bool {
		out, err := m.MatchesOrParentMatches(path)
		return err == nil && out
	}, nil
}

func owner(chown string) (uid, gid int, err error) {
	if chown == "" {
		return 0, 0, nil
	}
	u, g, _ := strings.Cut(chown, ":")
	if uid, err = strconv.Atoi(u); err == nil {
		gid, err = strconv.Atoi(g)
	}
	return uid, gid, err
}

// tree copies a file or the content of a directory and counts the files.
func tree(from, source, target string, uid, gid int, skip func(string) bool) (copied int, err error) {
	top := filepath.Join(from, source)
	err = filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		inContext, _ := filepath.Rel(from, path)
		below, _ := filepath.Rel(top, path)
		to := filepath.Join(target, below)
		info, err := d.Info()
		if err != nil {
			return err
		}
		switch {
		case d.IsDir():
			if err := os.MkdirAll(to, info.Mode().Perm()); err != nil {
				return err
			}
			return os.Chown(to, uid, gid)
		case skip(inContext):
			return nil
		}
		copied++
		raw, err := os.ReadFile(path) //nolint:gosec // what is copied is what is named in our own Dockerfile
		if err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil { //nolint:gosec // directories of an image are for all to read
			return err
		}
		if err := os.WriteFile(to, raw, info.Mode().Perm()); err != nil {
			return err
		}
		return os.Chown(to, uid, gid)
	})
	return copied, err
}
