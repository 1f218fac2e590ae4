package command

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"go.yaml.in/yaml/v3"
)

//go:embed edgeposture.schema.json
var declarationSchema []byte

// Limits of a file for apply -f.
const (
	maxDeclaration = 4 << 20 // bytes
	maxNodes       = 200_000 // values, with those of aliases counted each time
)

// declaration is a parsed file of the wanted configuration.
type declaration struct {
	file string
	root *yaml.Node
	all  map[string]any
}

// list returns the items of a section.
func (d *declaration) list(section string) []any { return asList(d.all[section]) }

// at returns a position in the file, such as posture.yaml:3:5.
func (d *declaration) at(path ...string) string {
	node := nodeAt(d.root, path)
	return fmt.Sprintf("%s:%d:%d", d.file, node.Line, node.Column)
}

// readDeclaration reads a file and validates it against the schema. The error is one sentence with
// a line and a column.
func (p *program) readDeclaration(path string) (*declaration, error) {
	raw, path, err := p.read(path, maxDeclaration)
	if err != nil {
		return nil, err
	}
	d, err := parseDeclaration(path, raw)
	if err != nil {
		return nil, usage("%s", err)
	}
	return d, nil
}

var yamlLine = regexp.MustCompile(`^yaml: (?:unmarshal errors:\n +)?line (\d+): (.*)`)

func parseDeclaration(file string, raw []byte) (*declaration, error) {
	d := &declaration{file: file}
	var document, second yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(raw))
	if err := decoder.Decode(&document); err != nil {
		return nil, notYAML(file, raw, err)
	}
	switch err := decoder.Decode(&second); {
	case err == nil:
		return nil, fmt.Errorf("%s:%d:%d: a second document begins here; use one file for each", file, second.Line, second.Column)
	case !errors.Is(err, io.EOF):
		return nil, notYAML(file, raw, err)
	}
	d.root = document.Content[0]
	left := maxNodes
	value, err := d.value(d.root, &left)
	if err != nil {
		return nil, err
	}
	schema, err := compiledSchema()
	if err != nil {
		return nil, err
	}
	if wrong, is := errors.AsType[*jsonschema.ValidationError](schema.Validate(value)); is {
		return nil, d.sentence(wrong)
	}
	d.all, _ = value.(map[string]any)
	return d, nil
}

// notYAML reports where a file is not valid YAML.
func notYAML(file string, raw []byte, err error) error {
	if at := yamlLine.FindStringSubmatch(err.Error()); at != nil {
		n, _ := strconv.Atoi(at[1]) // the pattern matched digits
		return fmt.Errorf("%s:%d:%d: this is not YAML (%s); correct it", file, n, columnOf(raw, n), at[2])
	}
	return fmt.Errorf("%s:1:1: this is not YAML with anything in it; write accounts, exceptions, ownership or schedules", file)
}

// columnOf returns the column where the text of a line begins, because the parser only reports lines.
func columnOf(raw []byte, line int) int {
	lines := bytes.Split(raw, []byte("\n"))
	if line < 1 || line > len(lines) {
		return 1
	}
	text := lines[line-1]
	return len(text) - len(bytes.TrimLeft(text, " ")) + 1
}

func compiledSchema() (*jsonschema.Schema, error) {
	schema, err := jsonschema.UnmarshalJSON(bytes.NewReader(declarationSchema))
	if err != nil {
		return nil, fmt.Errorf("read the schema: %w", err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("edgeposture.schema.json", schema); err != nil {
		return nil, fmt.Errorf("read the schema: %w", err)
	}
	return c.Compile("edgeposture.schema.json")
}

// value converts a node to its JSON value. left is how many more values the file may have.
func (d *declaration) value(n *yaml.Node, left *int) (any, error) {
	wrong := func(why string) error { return fmt.Errorf("%s:%d:%d: %s", d.file, n.Line, n.Column, why) }
	if *left--; *left < 0 {
		return nil, wrong("the file has more than " + strconv.Itoa(maxNodes) + " values; use several files")
	}
	switch n.Kind {
	case yaml.AliasNode:
		return d.value(n.Alias, left)
	case yaml.SequenceNode:
		out := make([]any, 0, len(n.Content))
		for _, item := range n.Content {
			v, err := d.value(item, left)
			if err != nil {
				return nil, err
			}
			out = append(out, v)
		}
		return out, nil
	case yaml.MappingNode:
		out := map[string]any{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			name := n.Content[i]
			if name.Kind != yaml.ScalarNode || name.Tag == "!!merge" {
				return nil, fmt.Errorf("%s:%d:%d: a name here is not plain text; write it out", d.file, name.Line, name.Column)
			}
			if _, twice := out[name.Value]; twice {
				return nil, fmt.Errorf("%s:%d:%d: %q is here a second time; keep one", d.file, name.Line, name.Column, clipped(name.Value))
			}
			v, err := d.value(n.Content[i+1], left)
			if err != nil {
				return nil, err
			}
			out[name.Value] = v
		}
		return out, nil
	default:
		var v any
		if err := n.Decode(&v); err != nil {
			return nil, wrong("this value cannot be read; write it as text in quotes")
		}
		switch v.(type) {
		case nil, bool, int, float64, string:
			if number, is := v.(int); is {
				return json.Number(strconv.Itoa(number)), nil
			}
			return v, nil
		default:
			return n.Value, nil // a date is taken as text
		}
	}
}

// nodeAt returns the node at a path, or the last existing node on the way there.
func nodeAt(n *yaml.Node, path []string) *yaml.Node {
	for _, name := range path {
		if n.Kind == yaml.AliasNode {
			n = n.Alias
		}
		next := n
		switch n.Kind {
		case yaml.SequenceNode:
			if i, err := strconv.Atoi(name); err == nil && i < len(n.Content) {
				next = n.Content[i]
			}
		case yaml.MappingNode:
			for i := 0; i+1 < len(n.Content); i += 2 {
				if n.Content[i].Value == name {
					next = n.Content[i+1]
				}
			}
		}
		if next == n {
			return n
		}
		n = next
	}
	return n
}

// sentence describes the first violation of the schema.
func (d *declaration) sentence(e *jsonschema.ValidationError) error {
	for len(e.Causes) > 0 {
		e = e.Causes[0]
	}
	path, what := e.InstanceLocation, "this"
	if len(path) > 0 {
		what = strconv.Quote(clipped(path[len(path)-1]))
		if _, err := strconv.Atoi(path[len(path)-1]); err == nil {
			what = "this"
		}
	}
	say := func(format string, args ...any) error {
		return fmt.Errorf("%s: %s", d.at(path...), fmt.Sprintf(format, args...))
	}
	switch k := e.ErrorKind.(type) {
	case *kind.AdditionalProperties:
		slices.Sort(k.Properties)
		node := nodeAt(d.root, path)
		for i := 0; i+1 < len(node.Content); i += 2 {
			if node.Content[i].Value == k.Properties[0] {
				node = node.Content[i]
				break
			}
		}
		return fmt.Errorf("%s:%d:%d: %q is not known here; use %s", d.file, node.Line, node.Column, clipped(k.Properties[0]),
			d.known(e.SchemaURL))
	case *kind.Required:
		return say("%s is missing; add it", strings.Join(k.Missing, ", "))
	case *kind.Type:
		return say("%s is a %s and should be a %s; write it so", what, wordOf(k.Got), wordOf(k.Want[0]))
	case *kind.Enum:
		words := make([]string, len(k.Want))
		for i, w := range k.Want {
			words[i] = fmt.Sprint(w)
		}
		return say("%s is none of the words that are known; use %s", what, strings.Join(words, ", "))
	case *kind.MinProperties, *kind.MinLength:
		return say("%s is empty; fill it in, or leave it out", what)
	case *kind.MaxLength:
		return say("%s is longer than %d characters; shorten it", what, k.Want)
	case *kind.MaxItems:
		return say("%s has more than %d items; use several files", what, k.Want)
	case *kind.Minimum, *kind.Maximum:
		return say("%s is out of range; see the schema (edgeposture apply --schema)", what)
	case *kind.Pattern:
		return say("%s is no date; write it as in 2027-01-31 or 2027-01-31T12:00:00Z", what)
	default:
		return say("%s is not what the schema asks for; see edgeposture apply --schema", what)
	}
}

// wordOf returns the word for a JSON type that authors of YAML use.
func wordOf(jsonType string) string {
	words := map[string]string{"array": "list", "object": "map", "string": "text", "null": "blank", "integer": "whole number"}
	return cmp.Or(words[jsonType], jsonType)
}

// known lists the property names that a part of the schema accepts.
func (d *declaration) known(schemaURL string) string {
	var schema any
	if json.Unmarshal(declarationSchema, &schema) != nil {
		return "those of the schema"
	}
	_, pointer, _ := strings.Cut(schemaURL, "#")
	for name := range strings.SplitSeq(strings.Trim(pointer, "/"), "/") {
		if o, is := schema.(map[string]any); is && name != "" {
			schema = o[strings.NewReplacer("~1", "/", "~0", "~").Replace(name)]
		}
	}
	o, _ := schema.(map[string]any)
	properties, _ := o["properties"].(map[string]any)
	return strings.Join(sortedNames(properties), ", ")
}
