package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"testing"
	"time"

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

func TestHoldsWhatIsAskedFor(t *testing.T) {
	in, tell := io.Pipe()
	out, said := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- run([]string{`{"Accounts":[{"Zones":1}]}`}, in, said) }()
	var at place
	require.NoError(t, json.NewDecoder(out).Decode(&at))
	_, err := io.WriteString(tell, "hold /zones /nothing\n")
	require.NoError(t, err)
	get := func(path string, within time.Duration) error {
		ctx, cancel := context.WithTimeout(t.Context(), within)
		defer cancel()
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, at.URL+path, nil)
		require.NoError(t, err)
		request.Header.Set("Authorization", "Bearer "+at.Tokens[0])
		answer, err := http.DefaultClient.Do(request)
		if err == nil {
			err = answer.Body.Close()
		}
		return err
	}
	// The line is read beside the first requests.
	require.Eventually(t, func() bool { return errors.Is(get("/zones", 100*time.Millisecond), context.DeadlineExceeded) }, 10*time.Second,
		time.Millisecond)
	require.NoError(t, get("/accounts", 10*time.Second), "only what is named is held")
	_, err = io.WriteString(tell, "release\n")
	require.NoError(t, err)
	require.NoError(t, get("/zones", 10*time.Second))
	_, err = io.WriteString(tell, "stop\n")
	require.NoError(t, err)
	require.ErrorContains(t, <-ended, `"stop"`)
}

func TestRefusesOptionsItDoesNotKnow(t *testing.T) {
	require.ErrorContains(t, run([]string{`{"Zones":1000}`}, nil, io.Discard), "Zones")
	require.ErrorContains(t, run(nil, nil, io.Discard), "usage")
}

func TestServesTheDemoAccount(t *testing.T) {
	in, hangUp := io.Pipe()
	out, said := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- run([]string{"demo"}, in, said) }()
	var at place
	require.NoError(t, json.NewDecoder(out).Decode(&at))
	require.Len(t, at.Accounts, 1)
	require.Contains(t, at.Tokens, "edgeposture-demo-read")
	require.NoError(t, hangUp.Close())
	require.NoError(t, <-ended)
}
