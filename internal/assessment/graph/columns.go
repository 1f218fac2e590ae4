package graph

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"sort"
	"strconv"
	"unicode/utf8"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// ColumnsType is the media type of Columns, for the Accept header.
const ColumnsType = "application/vnd.edgeposture.columns+json"

// ColumnsVersion is raised by changes that older readers cannot handle.
const ColumnsVersion = 2

// Columns is a graph for the map: one array per attribute; edges refer to nodes by index. An id is
// the first IDShared bytes of the previous id plus IDRest. An empty label means the part of the id
// after its first colon. Properties and finding ids are left out; Findings counts the latter.
type Columns struct {
	Version    int         `json:"version"`
	NodeTypes  []string    `json:"nodeTypes" doc:"Names of nodes.type."`
	EdgeTypes  []string    `json:"edgeTypes" doc:"Names of edges.type."`
	Severities []string    `json:"severities" doc:"Names of nodes.severity."`
	Nodes      NodeColumns `json:"nodes"`
	Edges      EdgeColumns `json:"edges"`
	Stats      Stats       `json:"stats"`
}

// NodeColumns holds the nodes, sorted by id.
type NodeColumns struct {
	IDShared []int    `json:"idShared"`
	IDRest   []string `json:"idRest"`
	Type     []int    `json:"type"`
	Label    []string `json:"label"`
	Zone     []int    `json:"zone" doc:"Position of the zone the node lies in, or -1."`
	Severity []int    `json:"severity"`
	Findings []int    `json:"findings"`
	Unknown  []int    `json:"unknown" doc:"How many of findings were not assessed."`
	Direct   []int    `json:"direct" doc:"Positions of load balancers that answer with the addresses of their origins."`
}

// EdgeColumns holds the edges, sorted by id. From is delta encoded: each value is
// the difference to the previous one.
type EdgeColumns struct {
	From []int `json:"from" doc:"Position of the node, as the difference to the edge before."`
	To   []int `json:"to" doc:"Position of the node."`
	Type []int `json:"type"`
}

// WriteColumns writes a graph as the JSON of Columns. It keeps the ids and a few bytes per node and
// edge in memory.
func WriteColumns(w io.Writer, g Source) error {
	var t table
	stats, err := g.Walk(t.node, t.edge)
	if err != nil {
		return err
	}
	o := &columnWriter{w: bufio.NewWriterSize(w, 64<<10)}
	o.json = json.NewEncoder(o)
	o.json.SetEscapeHTML(false)
	o.value(`{"version":`, ColumnsVersion)
	o.value(`,"nodeTypes":`, NodeTypes())
	o.value(`,"edgeTypes":`, EdgeTypes())
	o.value(`,"severities":`, append(severities(), Clean))
	t.write(o)
	o.value(`,"stats":`, stats)
	if o.text("}"); o.err == nil {
		o.err = o.w.Flush()
	}
	return o.err
}

func severities() (out []string) {
	for _, s := range posture.Severities() {
		out = append(out, string(s))
	}
	return out
}

// table is a graph in columns, which takes a tenth of the memory.
type table struct {
	ids, labels      texts
	kinds, worst     []int8
	findings, direct []int32
	unknown          []int32
	from, to         []int32
	relations        []int8
	types, edgeTypes []string
	levels           []string
}

func (t *table) node(v *Node) error {
	if t.types == nil {
		t.types, t.edgeTypes, t.levels = NodeTypes(), EdgeTypes(), append(severities(), Clean)
	}
	label := v.Label
	if derived(v.ID) == label {
		label = ""
	}
	t.ids.add(v.ID)
	t.labels.add(label)
	t.kinds, t.worst = append(t.kinds, int8(slices.Index(t.types, v.Type))), append(t.worst, int8(slices.Index(t.levels, v.Severity)))
	if v.Type == Service && v.Properties.Get("proxied") == false {
		t.direct = append(t.direct, int32(len(t.findings)))
	}
	t.findings = append(t.findings, int32(len(v.FindingIDs)))
	unknown := v.Unknown
	if v.Severity == Clean { // also in graphs kept before nodes counted it
		unknown = len(v.FindingIDs)
	}
	t.unknown = append(t.unknown, int32(unknown))
	return nil
}

func (t *table) edge(e *Edge) error {
	t.from, t.to = append(t.from, t.ids.place(e.From)), append(t.to, t.ids.place(e.To))
	t.relations = append(t.relations, int8(slices.Index(t.edgeTypes, e.Type)))
	return nil
}

func (t *table) write(o *columnWriter) {
	nodes, edges := len(t.kinds), len(t.from)
	before := ""
	o.numbers(`,"nodes":{"idShared":`, nodes, func(i int) int {
		n := shared(before, t.ids.at(i))
		before = t.ids.at(i)
		return n
	})
	before = ""
	o.texts(`,"idRest":`, nodes, func(i int) string {
		id := t.ids.at(i)
		rest := id[shared(before, id):]
		before = id
		return rest
	})
	o.numbers(`,"type":`, nodes, func(i int) int { return int(t.kinds[i]) })
	o.texts(`,"label":`, nodes, t.labels.at)
	home := t.homes()
	o.numbers(`,"zone":`, nodes, func(i int) int { return home[i] })
	o.numbers(`,"severity":`, nodes, func(i int) int { return int(t.worst[i]) })
	o.numbers(`,"findings":`, nodes, func(i int) int { return int(t.findings[i]) })
	o.numbers(`,"unknown":`, nodes, func(i int) int { return int(t.unknown[i]) })
	o.list(`,"direct":`, len(t.direct), func(b []byte, i int) []byte { return strconv.AppendInt(b, int64(t.direct[i]), 10) })
	last := 0
	o.list(`},"edges":{"from":`, edges, func(b []byte, i int) []byte {
		from := int(t.from[i])
		b = strconv.AppendInt(b, int64(from-last), 10)
		last = from
		return b
	})
	o.list(`,"to":`, edges, func(b []byte, i int) []byte { return strconv.AppendInt(b, int64(t.to[i]), 10) })
	o.list(`,"type":`, edges, func(b []byte, i int) []byte { return strconv.AppendInt(b, int64(t.relations[i]), 10) })
	o.text("}")
}

// homes returns the index of the zone of each node, or -1. An origin is placed in the zone of the
// first node that leads to it.
func (t *table) homes() []int {
	is := func(node int32, kind string) bool { return nameOf(t.types, t.kinds[node]) == kind }
	parent := make([]int, len(t.kinds))
	for i := range parent {
		parent[i] = -1
		if is(int32(i), Zone) {
			parent[i] = i
		}
	}
	for e, from := range t.from {
		if nameOf(t.edgeTypes, t.relations[e]) == BelongsTo && is(t.to[e], Zone) {
			parent[from] = int(t.to[e])
		}
	}
	for e, from := range t.from {
		to := t.to[e]
		switch relation := nameOf(t.edgeTypes, t.relations[e]); {
		case relation == BelongsTo && is(from, Finding) && parent[from] < 0:
			parent[from] = parent[to]
		case relation == ResolvesTo && is(to, Origin) && parent[to] < 0:
			parent[to] = parent[from]
		}
	}
	return parent
}

// nameOf returns the name at an index, or "" when the index is negative.
func nameOf(names []string, at int8) string {
	if at < 0 {
		return ""
	}
	return names[at]
}

// texts stores many strings in one buffer.
type texts struct {
	all  []byte
	ends []int
}

func (t *texts) add(s string) {
	t.all = append(t.all, s...)
	t.ends = append(t.ends, len(t.all))
}

func (t *texts) bytes(i int) []byte {
	if i == 0 {
		return t.all[:t.ends[0]]
	}
	return t.all[t.ends[i-1]:t.ends[i]]
}

func (t *texts) at(i int) string { return string(t.bytes(i)) }

// place returns the index of a string in a sorted list, and 0 when it is missing.
func (t *texts) place(s string) int32 {
	wanted := []byte(s)
	i, found := sort.Find(len(t.ends), func(i int) int { return bytes.Compare(wanted, t.bytes(i)) })
	if !found {
		return 0
	}
	return int32(i)
}

// shared returns how many leading bytes two ids have in common, without splitting a UTF-8 character.
func shared(before, id string) int {
	n := 0
	for n < len(before) && n < len(id) && before[n] == id[n] {
		n++
	}
	for n > 0 && n < len(id) && !utf8.RuneStart(id[n]) {
		n--
	}
	return n
}

func derived(id string) string {
	for i := range len(id) {
		if id[i] == ':' {
			return id[i+1:]
		}
	}
	return ""
}

// columnWriter writes JSON and stops at the first error.
type columnWriter struct {
	w    *bufio.Writer
	json *json.Encoder // writes to the writer
	err  error
}

// Write implements io.Writer for the encoder, which writes one value and a newline per call.
func (o *columnWriter) Write(b []byte) (int, error) {
	_, err := o.w.Write(bytes.TrimSuffix(b, []byte("\n")))
	return len(b), err
}

func (o *columnWriter) text(s string) {
	if o.err == nil {
		_, o.err = o.w.WriteString(s)
	}
}

func (o *columnWriter) value(before string, v any) {
	if o.text(before); o.err == nil {
		o.err = o.json.Encode(v)
	}
}

// list writes n numbers.
func (o *columnWriter) list(before string, n int, number func(b []byte, i int) []byte) {
	o.text(before + "[")
	var b []byte
	for i := range n {
		if b = b[:0]; i > 0 {
			b = append(b, ',')
		}
		b = number(b, i)
		if o.err == nil {
			_, o.err = o.w.Write(b)
		}
	}
	o.text("]")
}

// numbers writes a column of numbers; it is null when there are no nodes.
func (o *columnWriter) numbers(before string, n int, number func(i int) int) {
	if n == 0 {
		o.text(before + "null")
		return
	}
	o.list(before, n, func(b []byte, i int) []byte { return strconv.AppendInt(b, int64(number(i)), 10) })
}

// texts writes a column of strings.
func (o *columnWriter) texts(before string, n int, text func(i int) string) {
	if n == 0 {
		o.text(before + "null")
		return
	}
	before += "["
	for i := range n {
		o.value(before, text(i))
		before = ","
	}
	o.text("]")
}
