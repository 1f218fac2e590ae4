package main

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestServesWhatIsAskedForUntilItsInputEnds(t *testing.T) {
	in, hangUp := io.Pipe()
	out, said := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- run([]string{`{"Seed":1,"Accounts":[{"Zones":7,"Clean":true},{"Zones":2,"Clean":true}]}`}, in, said)
	}()
	line, err := bufio.NewReader(out).ReadBytes('\n')
	require.NoError(t, err)
	var at place
	require.NoError(t, json.Unmarshal(line, &at))
	require.Len(t, at.Accounts, 2)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, at.URL+"/zones?account.id="+at.Accounts[0], nil)
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer "+at.Tokens[0])
	answer, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer func() { require.NoError(t, answer.Body.Close()) }()
	var body struct{ Result []struct{} }
	require.NoError(t, json.NewDecoder(answer.Body).Decode(&body))
	require.Len(t, body.Result, 7)
	require.NoError(t, hangUp.Close())
	require.NoError(t, <-ended)
}

func TestRefusesOptionsItDoesNotKnow(t *testing.T) {
	require.ErrorContains(t, run([]string{`{"Zones":1000}`}, nil, io.Discard), "Zones")
	require.ErrorContains(t, run(nil, nil, io.Discard), "usage")
}
