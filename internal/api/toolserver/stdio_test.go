package toolserver_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/api/client"
	"github.com/edgeposture/edgeposture/internal/api/toolserver"
)

// TestLinesThatAreNoMessage: each is answered by the code of JSON-RPC 2.0, and the session goes on.
func TestLinesThatAreNoMessage(t *testing.T) {
	in, send := io.Pipe()
	receive, out := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- toolserver.ServeStdio(context.Background(), toolserver.Options{Version: "test",
			Client: func(http.Header) *client.Client { return nil }}, in, out)
	}()
	answers := bufio.NewScanner(receive)
	say := func(line string) {
		_, err := io.WriteString(send, line+"\n")
		require.NoError(t, err)
	}
	next := func() string {
		require.True(t, answers.Scan(), "the session has ended")
		return answers.Text()
	}
	pong := func(id string) {
		say(`{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}`)
		require.JSONEq(t, `{"jsonrpc":"2.0","id":`+id+`,"result":{}}`, next())
	}
	say("")
	say(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},` +
		`"clientInfo":{"name":"t","version":"1"}}}` + "\r")
	require.Contains(t, next(), `"protocolVersion":"2025-06-18"`)
	say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	pong("1")
	for line, code := range map[string]int{
		"hello": -32700, `{"jsonrpc":`: -32700, `{"jsonrpc":"2.0","id":2,"method":"ping"} x`: -32700, "\xff": -32700,
		"5": -32600, "null": -32600, "[]": -32600, "[1]": -32600, `{}`: -32600, `{"jsonrpc":"1.0","id":3,"method":"ping"}`: -32600,
		`{"jsonrpc":"2.0","id":{},"method":"ping"}`: -32600, `[{"jsonrpc":"2.0","id":3,"method":"ping"},{}]`: -32600,
	} {
		say(line)
		var got struct {
			ID    json.RawMessage
			Error struct {
				Code    int
				Message string
			}
		}
		require.NoError(t, json.Unmarshal([]byte(next()), &got), line)
		require.Equal(t, "null", string(got.ID), line)
		require.Equal(t, code, got.Error.Code, line)
		require.NotEmpty(t, got.Error.Message)
		pong("4")
	}
	say(`[{"jsonrpc":"2.0","id":5,"method":"ping"}]`)
	require.JSONEq(t, `[{"jsonrpc":"2.0","id":5,"result":{}}]`, next(), "no version of the protocol lets a batch end the session")
	pong("6")
	require.NoError(t, send.Close())
	require.NoError(t, <-ended)
}
