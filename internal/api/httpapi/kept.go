package httpapi

import (
	"bytes"
	"context"
	"io"
	"iter"

	"github.com/danielgtaylor/huma/v2"
	"github.com/valyala/fasthttp"

	"github.com/edgeposture/edgeposture/internal/assessment/graph"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/platform/document"
)

const (
	// keptBytes bounds the disk space of the cached documents: those of some thousand runs of ten
	// zones, or of a dozen runs of a thousand. It is well below what deployments give to /tmp.
	keptBytes = 128 << 20
	// madeAtOnce is how many documents are built concurrently; each takes some ten megabytes of
	// memory meanwhile.
	madeAtOnce = 2
	// Pages of findings are small and many, so they have a cache of their own and do not wait for
	// documents.
	pagesBytes      = 32 << 20
	pagesMadeAtOnce = 8
)

// kept returns an immutable document from the cache or builds it. The build is cancelled when the
// server drains.
func (s *Server) kept(ctx context.Context, in *document.Cache, key string,
	write func(context.Context, io.Writer) error) (*document.Document, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.closing, cancel)() //nolint:contextcheck // the server ends it too
	return in.Open(ctx, key, write)
}

// jsonFormat reads and writes bodies as huma does, except that a cached document is sent unchanged and
// that an error names nothing of Go. What passes the schema can still not fit, such as 1e2 for a number.
func jsonFormat() huma.Format {
	f := huma.DefaultJSONFormat
	f.Unmarshal = func(data []byte, v any) error {
		if err := huma.DefaultJSONFormat.Unmarshal(data, v); err != nil {
			return posture.Misfit(err)
		}
		return nil
	}
	f.Marshal = func(w io.Writer, v any) error {
		if d, ok := v.(*document.Document); ok {
			return send(w.(*fasthttp.RequestCtx), d) //nolint:forcetypeassert // what humafiber writes to
		}
		return huma.DefaultJSONFormat.Marshal(w, v)
	}
	return f
}

// send answers with a document, compressed if the client accepts that. Content-Length is set, so a
// truncated response is noticed.
func send(c *fasthttp.RequestCtx, d *document.Document) error {
	vary := "Accept-Encoding"
	if v := c.Response.Header.Peek("Vary"); len(v) > 0 {
		vary = string(v) + "," + vary
	}
	c.Response.Header.Set("Vary", vary)
	if c.Request.Header.HasAcceptEncoding("gzip") {
		c.Response.Header.SetContentEncoding("gzip")
		r, size := d.Packed()
		c.Response.SetBodyStream(r, int(size))
		return nil
	}
	r, size, err := d.Unpacked()
	if err != nil {
		return err
	}
	c.Response.SetBodyStream(r, int(size))
	return nil
}

// jsonOut writes JSON piece by piece, each value as huma writes a body. After the first error it
// writes nothing more.
type jsonOut struct {
	w   io.Writer
	err error
}

func (o *jsonOut) text(s string) {
	if o.err == nil {
		_, o.err = io.WriteString(o.w, s)
	}
}

// value writes before and then v.
func (o *jsonOut) value(before string, v any) {
	if o.text(before); o.err == nil {
		o.err = huma.DefaultJSONFormat.Marshal(trimmed{o.w, "\n"}, v)
	}
}

// trimmed drops an ending from each write; the encoder writes a value in a single call.
type trimmed struct {
	w   io.Writer
	end string
}

// Write implements io.Writer.
func (t trimmed) Write(b []byte) (int, error) {
	_, err := t.w.Write(bytes.TrimSuffix(b, []byte(t.end)))
	return len(b), err
}

// end writes the final text and returns the first error.
func (o *jsonOut) end(text string) error {
	o.text(text)
	return o.err
}

// list writes the items as a JSON array without its opening bracket.
func list[T any](o *jsonOut, items iter.Seq2[T, error]) {
	before := ""
	for v, err := range items {
		if o.err == nil {
			o.err = err
		}
		if o.err != nil {
			return
		}
		o.value(before, v)
		before = ","
	}
	o.text("]")
}

// writeWith writes v, whose last member is an empty array, with the items in that array.
func writeWith[T any](w io.Writer, v any, items iter.Seq2[T, error]) error {
	o := &jsonOut{w: w}
	o.err = huma.DefaultJSONFormat.Marshal(trimmed{w, "]}\n"}, v)
	list(o, items)
	return o.end("}\n")
}

// writeGraph writes a GraphAnswer while it iterates over the graph.
func writeGraph(w io.Writer, assessmentID string, g graph.Source, paths iter.Seq2[posture.AttackPath, error]) error {
	o := &jsonOut{w: w}
	o.value(`{"assessmentId":`, assessmentID)
	nodes, edges := `,"graph":{"nodes":[`, `],"edges":[`
	stats, err := g.Walk(func(n *graph.Node) error {
		o.value(nodes, n)
		nodes = ","
		return o.err
	}, func(e *graph.Edge) error {
		o.value(edges, e.WithID())
		edges = ","
		return o.err
	})
	if err != nil {
		return err
	}
	if nodes != "," {
		o.text(nodes)
	}
	if edges != "," {
		o.text(edges)
	}
	o.value(`],"stats":`, stats)
	o.text(`},"attackPaths":[`)
	list(o, paths)
	return o.end("}\n")
}

// writeColumns writes a ColumnsAnswer, one column at a time.
func writeColumns(w io.Writer, assessmentID string, g graph.Source, paths iter.Seq2[posture.AttackPath, error]) error {
	o := &jsonOut{w: w}
	o.value(`{"assessmentId":`, assessmentID)
	if o.text(`,"graph":`); o.err == nil {
		o.err = graph.WriteColumns(w, g)
	}
	o.text(`,"attackPaths":[`)
	list(o, paths)
	return o.end("}\n")
}
