package command

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"

	"github.com/edgeposture/edgeposture/internal/platform/config"
)

// maxConfig bounds a configuration file, in bytes.
const maxConfig = 1 << 20

// onlyTyped reports whether a flag is only accepted on the command line, because consent must be
// given anew each time.
func onlyTyped(name string) bool {
	return slices.Contains([]string{"yes", "force", "help", "version", "config"}, name)
}

// given annotates a flag that was set on the command line itself.
const given = "given"

func isGiven(cmd *cobra.Command, name string) bool {
	f := cmd.Flags().Lookup(name)
	return f != nil && len(f.Annotations[given]) > 0
}

// layer sets the flags that the command line left out: from the environment, or else from the
// configuration file.
func (p *program) layer(cmd *cobra.Command) error {
	flags := cmd.Flags()
	flags.Visit(func(f *pflag.Flag) {
		if f.Annotations == nil {
			f.Annotations = map[string][]string{}
		}
		f.Annotations[given] = []string{"yes"}
	})
	if v, ok := p.tool.Flag("config"); ok && !flags.Changed("config") {
		p.configFile = v
	}
	file, err := readConfig(p.configFile, known(cmd.Root()))
	if err != nil {
		return err
	}
	var first error
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Changed || onlyTyped(f.Name) || first != nil {
			return
		}
		if v, ok := p.tool.Flag(f.Name); ok {
			if err := flags.Set(f.Name, v); err != nil {
				first = usage("%s is not usable for --%s; see %s --help", config.FlagVariable(f.Name), f.Name, cmd.CommandPath())
			}
			return
		}
		if values, ok := file[f.Name]; ok && put(flags, f, values) != nil {
			first = usage("%s in the file %s is not usable; see %s --help", f.Name, p.configFile, cmd.CommandPath())
		}
	})
	return first
}

func put(flags *pflag.FlagSet, f *pflag.Flag, values []string) error {
	if list, ok := f.Value.(pflag.SliceValue); ok {
		f.Changed = true
		return list.Replace(values)
	}
	if len(values) != 1 {
		return errors.New("it takes one value, not a list")
	}
	return flags.Set(f.Name, values[0])
}

// known returns the names of all flags of all commands.
func known(cmd *cobra.Command) map[string]bool {
	names := map[string]bool{}
	add := func(f *pflag.Flag) { names[f.Name] = true }
	cmd.PersistentFlags().VisitAll(add)
	cmd.Flags().VisitAll(add)
	for _, c := range cmd.Commands() {
		for name := range known(c) {
			names[name] = true
		}
	}
	return names
}

// readConfig reads the configuration file; "" means no file.
func readConfig(path string, names map[string]bool) (map[string][]string, error) {
	if path == "" {
		return map[string][]string{}, nil
	}
	raw, err := readFile(path, maxConfig)
	if err != nil {
		return nil, err
	}
	values, err := parseConfig(raw, names)
	if err != nil {
		return nil, usage("the file %s is not usable: %s", path, err)
	}
	return values, nil
}

// readFile reads a whole file of at most max bytes.
func readFile(path string, max int64) ([]byte, error) {
	f, err := os.Open(path) //nolint:gosec // the caller names the file
	if err != nil {
		return nil, usage("the file %s cannot be read (%s); name one that this user may read", path, reason(err))
	}
	defer func() { _ = f.Close() }()
	return readAll(f, "the file "+path, max)
}

// read is readFile with stdin for -, and returns how errors name the file.
func (p *program) read(path string, max int64) (raw []byte, name string, err error) {
	if path == standard {
		raw, err = readAll(p.in, "stdin", max)
		return raw, "stdin", err
	}
	raw, err = readFile(path, max)
	return raw, path, err
}

func readAll(from io.Reader, name string, max int64) ([]byte, error) {
	raw, err := io.ReadAll(io.LimitReader(from, max+1))
	if err != nil {
		return nil, usage("%s cannot be read (%s); name a file that this user may read", name, reason(err))
	}
	if int64(len(raw)) > max {
		return nil, usage("%s is larger than %d bytes; name the right file", name, max)
	}
	return raw, nil
}

// parseConfig parses YAML whose keys are flag names and whose values are texts, numbers, truth
// values or lists of them. Errors do not repeat values, because a secret may have been put in the
// wrong place.
func parseConfig(raw []byte, names map[string]bool) (map[string][]string, error) {
	var in map[string]any
	if err := yaml.Unmarshal(raw, &in); err != nil {
		return nil, errors.New("it is not YAML of the form name: value")
	}
	out := map[string][]string{}
	for name, v := range in {
		if !names[name] {
			return nil, fmt.Errorf("%q is not the name of a flag; see edgeposture help", clipped(name))
		}
		if onlyTyped(name) {
			return nil, fmt.Errorf("%s is only taken from the command line; remove it", name)
		}
		values := []any{v}
		if list, many := v.([]any); many {
			values = list
		}
		out[name] = []string{}
		for _, one := range values {
			text, ok := scalar(one)
			if !ok {
				return nil, fmt.Errorf("%s is neither a text, a number, a truth value nor a list of them", name)
			}
			out[name] = append(out[name], text)
		}
	}
	return out, nil
}

func scalar(v any) (string, bool) {
	switch t := v.(type) {
	case string:
		return t, true
	case bool, int, int64, uint64, float64:
		return fmt.Sprint(t), true
	default:
		return "", false
	}
}
