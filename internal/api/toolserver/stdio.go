package toolserver

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// ServeStdio serves the tools to one caller, one JSON-RPC message per line, until the input or the
// context ends.
func ServeStdio(ctx context.Context, o Options, in io.ReadCloser, out io.WriteCloser) error {
	answers := &wholeLines{WriteCloser: out}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, mcp.DefaultMaxLineLength)
	err := New(o).Run(ctx, anyVersion{&mcp.IOTransport{Reader: &messages{Closer: in, lines: lines, answers: answers}, Writer: answers}})
	if err != nil && !errors.Is(err, io.EOF) && ctx.Err() == nil {
		return fmt.Errorf("serve tools over stdio: %w", err)
	}
	return nil
}

// anyVersion hides from a connection which version of the protocol was agreed on: of the versions that
// have no batches it would end with the first.
type anyVersion struct{ mcp.Transport }

func (t anyVersion) Connect(ctx context.Context) (mcp.Connection, error) {
	c, err := t.Transport.Connect(ctx)
	if err != nil {
		return nil, fmt.Errorf("begin to serve: %w", err)
	}
	return struct{ mcp.Connection }{c}, nil
}

// messages reads the lines that are messages. It answers the others itself, because the transport ends
// with the first of them.
type messages struct {
	io.Closer
	lines   *bufio.Scanner
	answers io.Writer
	rest    []byte
}

func (m *messages) Read(p []byte) (int, error) {
	for len(m.rest) == 0 {
		if !m.lines.Scan() {
			return 0, cmp.Or(m.lines.Err(), io.EOF)
		}
		line := bytes.TrimSpace(m.lines.Bytes())
		if len(line) == 0 {
			continue
		}
		if wrong := fault(line); wrong != nil {
			if err := refuse(m.answers, wrong); err != nil {
				return 0, err
			}
			continue
		}
		m.rest = append(slices.Clone(line), '\n')
	}
	n := copy(p, m.rest)
	m.rest = m.rest[n:]
	return n, nil
}

// fault says why a line is no message and no batch of messages, by the codes of JSON-RPC 2.0.
func fault(line []byte) *jsonrpc.Error {
	if !json.Valid(line) {
		return &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: "the line is not valid JSON; send one message per line"}
	}
	all := []json.RawMessage{line}
	if line[0] == '[' {
		all = nil
		_ = json.Unmarshal(line, &all) // it is a list
	}
	unfit := func(message json.RawMessage) bool {
		_, err := jsonrpc.DecodeMessage(message)
		return err != nil
	}
	if len(all) == 0 || slices.ContainsFunc(all, unfit) {
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "the line is no message of JSON-RPC 2.0"}
	}
	return nil
}

// refuse answers with an error that belongs to no request, whose id is therefore null.
func refuse(w io.Writer, wrong *jsonrpc.Error) error {
	answer, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": nil, "error": wrong})
	if err != nil {
		return fmt.Errorf("write a refusal: %w", err)
	}
	_, err = w.Write(append(answer, '\n'))
	return err
}

// wholeLines keeps apart the lines of several writers, each of which writes whole lines.
type wholeLines struct {
	io.WriteCloser
	mu sync.Mutex
}

func (w *wholeLines) Write(line []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.WriteCloser.Write(line)
}
