package command

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/secret"
)

// noun is a kind of object that a service stores, and verb is one operation on it: one call of the
// API. The table in nouns defines all of them.
type noun struct {
	name, group, short string
	verbs              []verb
}

type verb struct {
	name, argument string // argument is the placeholder for {id} of the path; "" for none
	optional       string // default of the argument; "" when it is required
	short          string
	examples       []string // without the name of the program
	method, path   string
	fixed          map[string]any // of the body
	params         []param
	items          string                                       // the member that holds the list; "" for a single object
	whole          bool                                         // the list has no pages
	columns        []column                                     // of the table
	done           string                                       // printed when the response is empty
	describe       func(w io.Writer, raw json.RawMessage) error // nil: every field, by name
}

// param is a flag and its name in the API: a query parameter of a GET, otherwise a field of the
// body, with dots for nested fields.
type param struct {
	flag, name, usage string
	values            []string // all there are; nil when any may be given
	kind              paramKind
	needed            bool
}

type paramKind int

const (
	word paramKind = iota
	list
	yes
	number
	fromFile // a secret: the flag names a file, - is stdin
)

// column is a path in the response. A wide column is only shown with -o wide.
type column struct {
	title, place string
	wide         bool
}

const most = 1000 // items per page

func (p *program) nouns() []*cobra.Command {
	var out []*cobra.Command
	for _, n := range nouns() {
		cmd := p.verb(n.verbs[0])
		if n.verbs[0].name != n.name {
			cmd = &cobra.Command{Use: n.name, Short: n.short}
			for _, v := range n.verbs {
				cmd.AddCommand(p.verb(v))
			}
		}
		cmd.GroupID = n.group
		out = append(out, cmd)
	}
	return out
}

func (p *program) verb(v verb) *cobra.Command {
	cmd := &cobra.Command{Use: v.name, Short: v.short, Args: cobra.NoArgs, Example: examples(v.examples...)}
	switch {
	case v.optional != "":
		cmd.Use, cmd.Args = v.name+" ["+v.argument+"]", cobra.MaximumNArgs(1)
	case v.argument != "":
		cmd.Use, cmd.Args = v.name+" "+v.argument, cobra.ExactArgs(1)
	}
	f := cmd.Flags()
	texts, lists, truths, numbers := map[string]*string{}, map[string]*[]string{}, map[string]*bool{}, map[string]*int{}
	for _, one := range v.params {
		switch one.kind {
		case list:
			lists[one.name] = f.StringSlice(one.flag, nil, one.usage)
		case yes:
			truths[one.name] = f.Bool(one.flag, false, one.usage)
		case number:
			numbers[one.name] = f.Int(one.flag, 0, one.usage)
		default:
			texts[one.name] = f.String(one.flag, "", one.usage)
		}
		choices(cmd, one.flag, one.values...)
	}
	limit := 0
	if v.paged() {
		f.IntVar(&limit, "limit", 100, "maximum number of rows")
	}
	run := func(cmd *cobra.Command, args []string) (action, error) {
		if v.paged() && limit < 1 {
			return nil, usage("--limit is %d; use 1 or more", limit)
		}
		values := map[string]any{}
		for _, one := range v.params {
			if !f.Changed(one.flag) {
				if one.needed {
					return nil, usage("--%s is needed: %s", one.flag, strings.ReplaceAll(f.Lookup(one.flag).Usage, "`", ""))
				}
				continue
			}
			switch one.kind {
			case list:
				values[one.name] = *lists[one.name]
			case yes:
				values[one.name] = *truths[one.name]
			case number:
				values[one.name] = *numbers[one.name]
			case fromFile:
				s, err := p.secretOf(*texts[one.name])
				if err != nil {
					return nil, err
				}
				values[one.name] = s
			default:
				values[one.name] = *texts[one.name]
			}
		}
		id, err := v.id(cmd, args, values)
		if err != nil {
			return nil, err
		}
		return func(ctx context.Context, s *session) error { return s.does(ctx, v, id, values, limit) }, nil
	}
	cmd.RunE = p.look(run)
	return cmd
}

// id returns the argument for {id} of the path. If the path has none, it becomes a value instead.
func (v verb) id(cmd *cobra.Command, args []string, values map[string]any) (string, error) {
	if v.argument == "" {
		return "", nil
	}
	id := v.optional
	if len(args) == 1 {
		id = args[0]
	}
	if strings.TrimSpace(id) == "" {
		return "", usage("%s is empty; edgeposture %s --help", v.argument, strings.TrimPrefix(cmd.CommandPath(), "edgeposture "))
	}
	if !strings.Contains(v.path, "{id}") {
		values[strings.ToLower(v.argument)] = id
	}
	return id, nil
}

func (v verb) paged() bool { return v.method == http.MethodGet && v.items != "" && !v.whole }

// does makes the call and prints the response.
func (s *session) does(ctx context.Context, v verb, id string, values map[string]any, limit int) (err error) {
	if v.optional == latest {
		if id, err = s.named(ctx, id, "", ""); err != nil {
			return err
		}
	}
	path := strings.Replace(v.path, "{id}", url.PathEscape(id), 1)
	if v.method != http.MethodGet {
		raw, err := s.api.Ask(ctx, v.method, path, nil, bodyOf(v.fixed, values))
		if err != nil {
			return err
		}
		if len(raw) == 0 {
			s.say("%s", v.done)
			return nil
		}
		return s.answer(v, raw)
	}
	query := url.Values{}
	for name, value := range values {
		switch t := value.(type) {
		case []string:
			query.Set(name, strings.Join(t, ","))
		default:
			query.Set(name, fmt.Sprint(t))
		}
	}
	if !v.paged() {
		raw, err := s.api.Ask(ctx, v.method, path, query, nil)
		if err != nil {
			return err
		}
		return s.answer(v, raw)
	}
	all, more := []json.RawMessage{}, true
	for more && len(all) < limit {
		query.Set("limit", strconv.Itoa(min(limit-len(all), most)))
		raw, err := s.api.Ask(ctx, v.method, path, query, nil)
		if err != nil {
			return err
		}
		var page map[string]json.RawMessage
		var items []json.RawMessage
		var next string
		if err := s.api.Decode(raw, &page); err != nil {
			return err
		}
		if err := s.api.Decode(page[v.items], &items); err != nil {
			return err
		}
		_ = json.Unmarshal(page["nextCursor"], &next) // absent on the last page
		all, more = append(all, items...), next != "" && len(items) > 0
		query.Set("cursor", next)
	}
	raw, err := json.Marshal(map[string]any{v.items: all, "more": more})
	if err != nil {
		return fmt.Errorf("write the list: %w", err)
	}
	if err := s.answer(v, raw); err != nil {
		return err
	}
	if more {
		s.say("these are the first %d; --limit shows more", len(all))
	}
	if judged := v.path == "/api/findings" || v.path == "/api/issues"; judged && len(all) == 0 {
		s.nothing(ctx, "/api/assessment", query.Get("account"))
	} else if run, is := strings.CutSuffix(path, "/paths"); is && len(all) == 0 {
		s.nothing(ctx, run, "")
	}
	return nil
}

// nothing says why an empty answer need not mean that nothing is wrong: there was no run, or it could not read everything.
func (s *session) nothing(ctx context.Context, run, account string) {
	query := url.Values{}
	if account != "" {
		query.Set("account", account)
	}
	var a posture.AssessmentSummary
	if err := s.read(ctx, run, query, &a); err != nil {
		s.say("%s", s.worded(err))
	} else if a.Summary.Unknown > 0 {
		s.say("%s could not be judged, so this is not all there may be; `edgeposture findings list --result UNKNOWN` lists them",
			english.Plural(a.Summary.Unknown, "finding", ""))
	}
}

// bodyOf builds the body from dotted names; one that ends in [] is a list of one. It is the only place that reveals a secret.
func bodyOf(fixed, values map[string]any) map[string]any {
	body := map[string]any{}
	for _, all := range []map[string]any{fixed, values} {
		for name, value := range all {
			at := body
			parts := strings.Split(name, ".")
			for _, part := range parts[:len(parts)-1] {
				inner, ok := at[part].(map[string]any)
				if !ok {
					inner = map[string]any{}
					at[part] = inner
				}
				at = inner
			}
			if hidden, ok := value.(secret.Text); ok {
				value = hidden.Reveal()
			}
			at[parts[len(parts)-1]] = value
		}
	}
	for name, value := range body {
		if list, ok := strings.CutSuffix(name, "[]"); ok {
			delete(body, name)
			body[list] = []any{value}
		}
	}
	return body
}

// answer prints a response as a table, or in full as JSON or YAML.
func (s *session) answer(v verb, raw json.RawMessage) error {
	if s.structured() {
		return s.print(raw)
	}
	if v.describe != nil {
		return v.describe(s.out, raw)
	}
	var got any
	if err := json.Unmarshal(raw, &got); err != nil {
		return fmt.Errorf("read the answer: %w", err)
	}
	if v.items == "" {
		if one, is := got.(map[string]any); is && one["invitation"] != nil {
			one["invitation"] = fmt.Sprint(s.api.Address(), one["invitation"]) // a link to send to somebody
		}
		fields(s.out, got, "")
		return nil
	}
	var rows [][]string
	var head []string
	columns := slices.DeleteFunc(slices.Clone(v.columns), func(c column) bool { return c.wide && s.output != outputWide })
	for _, c := range columns {
		head = append(head, c.title)
	}
	rows = append(rows, head)
	items, _ := at(got, v.items).([]any)
	for _, item := range items {
		cells := make([]string, len(columns))
		for i, c := range columns {
			cells[i] = cell(at(item, c.place))
			if t, err := time.Parse(time.RFC3339, cells[i]); err == nil {
				cells[i] = instant(t)
			}
		}
		rows = append(rows, cells)
	}
	table(s.out, rows)
	return nil
}

// at returns the value at a dotted path, of a list those of all its items, or nil when there is none.
func at(v any, place string) any {
	if items, ok := v.([]any); ok {
		var all []any
		for _, item := range items {
			all = append(all, at(item, place))
		}
		return all
	}
	part, rest, more := strings.Cut(place, ".")
	fields, _ := v.(map[string]any)
	if more {
		return at(fields[part], rest)
	}
	return fields[part]
}

func cell(v any) string {
	switch t := v.(type) {
	case nil:
		return "-"
	case string:
		return t
	case float64:
		return strconv.FormatFloat(t, 'f', -1, 64)
	case bool:
		return map[bool]string{true: "yes", false: "no"}[t]
	case []any:
		if len(t) == 0 {
			return "-"
		}
		texts := make([]string, len(t))
		for i, one := range t {
			texts[i] = cell(one)
		}
		return strings.Join(texts, ", ")
	default:
		raw, _ := json.Marshal(t) //nolint:errchkjson // it came out of JSON
		return string(raw)
	}
}

// shownOfList bounds how many nested objects of a list are printed.
const shownOfList = 3

// fields prints an object, with one line for each non-empty field.
func fields(w io.Writer, v any, before string) {
	all, ok := v.(map[string]any)
	if !ok {
		return
	}
	for _, name := range sortedNames(all) {
		switch t := all[name].(type) {
		case nil:
		case map[string]any:
			fields(w, t, before+name+".")
		case []any:
			if len(t) == 0 {
				continue
			}
			if _, nested := t[0].(map[string]any); !nested {
				line(w, "%s: %s", before+name, cell(t))
				continue
			}
			for i, one := range t[:min(len(t), shownOfList)] {
				fields(w, one, fmt.Sprintf("%s%s.%d.", before, name, i+1))
			}
			if more := len(t) - shownOfList; more > 0 {
				line(w, "%s: %d more, see -o json", before+name, more)
			}
		default:
			if text := cell(t); text != "" {
				line(w, "%s: %s", before+name, text)
			}
		}
	}
}
