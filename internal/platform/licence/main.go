// Command licence writes the licences of all Go modules in the binaries to a file, each text once
// below the modules that use it. The dashboard links to the file. A module without a licence is an
// error, because it may not be shipped.
package main

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: licence FILE")
		os.Exit(2)
	}
	text, err := licences()
	if err == nil {
		err = os.WriteFile(os.Args[1], text, 0o644) //nolint:gosec // everybody may read it
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "licence: %v\n", err)
		os.Exit(1)
	}
}

// licences reads the licence files of the modules that `go list` reports, so it must run in the
// module after its dependencies were downloaded.
func licences() ([]byte, error) {
	list := exec.CommandContext(context.Background(), "go", "list", "-deps", "-f",
		"{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Version}}\t{{.Dir}}{{end}}{{end}}", "./cmd/...")
	list.Stderr = os.Stderr
	modules, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("list the modules: %w", err)
	}
	of, texts := map[string][]string{}, map[string][]byte{}
	for _, line := range slices.Compact(slices.Sorted(strings.SplitSeq(strings.TrimSpace(string(modules)), "\n"))) {
		name, place, _ := strings.Cut(line, "\t")
		version, dir, _ := strings.Cut(place, "\t")
		if name == "" {
			continue
		}
		files, err := licenceFiles(dir)
		if err != nil {
			return nil, fmt.Errorf("find the licence of %s: %w", name, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file) //nolint:gosec // a file of a module go list named
			if err != nil {
				return nil, fmt.Errorf("read the licence of %s: %w", name, err)
			}
			same := string(bytes.Join(bytes.Fields(text), []byte(" ")))
			of[same], texts[same] = append(of[same], name+" "+version), bytes.TrimSpace(text)
		}
	}
	var b bytes.Buffer
	b.WriteString("Licences of the Go modules in Edgeposture.\n")
	byName := func(a, b string) int { return strings.Compare(of[a][0]+a, of[b][0]+b) }
	for _, same := range slices.SortedFunc(maps.Keys(of), byName) {
		fmt.Fprintf(&b, "\n%s\n%s\n\n%s\n", strings.Repeat("=", 80), strings.Join(of[same], "\n"), texts[same])
	}
	return b.Bytes(), nil
}

func licenceFiles(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	named := regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|unlicense)`)
	var out []string
	for _, e := range entries {
		if e.Type().IsRegular() && named.MatchString(e.Name()) {
			out = append(out, filepath.Join(dir, e.Name()))
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s holds none", dir)
	}
	return out, nil
}
