// Command terraformfacts reads the reference pages of Cloudflare's Terraform provider (docs/resources of its repository) and writes
// which attributes each resource takes, one resource a line: its name and the paths of the attributes that can be set, nested ones
// with dots and required ones with a star behind, and "!import" where it cannot be imported. The snippets of the checks are held
// against it.
package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: terraformfacts DIR/docs/resources > terraform.txt")
		os.Exit(2)
	}
	pages, err := filepath.Glob(filepath.Join(os.Args[1], "*.md"))
	if err == nil && len(pages) == 0 {
		err = fmt.Errorf("no pages in %s", os.Args[1])
	}
	for _, page := range pages {
		if err == nil {
			err = facts(page)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "read the reference of the provider:", err)
		os.Exit(1)
	}
}

var (
	nested    = regexp.MustCompile("^### Nested Schema for `(.+)`")
	attribute = regexp.MustCompile("^- `([a-z0-9_]+)` \\(")
)

func facts(page string) error {
	f, err := os.Open(page)
	if err != nil {
		return err
	}
	defer f.Close()
	var paths []string
	schema, readOnly, star, prefix := false, false, "", ""
	for s := bufio.NewScanner(f); s.Scan(); {
		line := s.Text()
		if strings.Contains(line, "does not currently support `terraform import`") {
			paths = append(paths, "!import")
		}
		switch m := nested.FindStringSubmatch(line); {
		case line == "## Schema":
			schema = true
		case strings.HasPrefix(line, "## "):
			schema = false
		case m != nil:
			prefix, readOnly, star = m[1]+".", false, ""
		case strings.Contains(line, "Read-Only"):
			readOnly = true
		case line == "### Required" || line == "Required:":
			readOnly, star = false, "*"
		case line == "### Optional" || line == "Optional:":
			readOnly, star = false, ""
		}
		if m := attribute.FindStringSubmatch(line); schema && !readOnly && m != nil {
			paths = append(paths, prefix+m[1]+star)
		}
	}
	slices.Sort(paths)
	name := "cloudflare_" + strings.TrimSuffix(filepath.Base(page), ".md")
	_, err = fmt.Println(strings.Join(append([]string{name}, slices.Compact(paths)...), " "))
	return err
}
