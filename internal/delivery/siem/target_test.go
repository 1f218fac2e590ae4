package siem_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/delivery/siem"
	"github.com/edgeposture/edgeposture/internal/delivery/siem/siemtest"
	"github.com/edgeposture/edgeposture/internal/platform/outbound"
)

// doer answers without a network and keeps the last request.
type doer struct {
	last   *http.Request
	answer *outbound.Response
	err    error
}

func (d *doer) Do(r *http.Request) (*outbound.Response, error) {
	d.last = r
	return d.answer, d.err
}

func TestAddressesAndCredentials(t *testing.T) {
	const guid = "0f0e0d0c-0b0a-4908-8706-050403020100"
	for _, c := range []struct {
		base, bulk, hec string // empty: refused
	}{
		{"https://h.example", "https://h.example/_bulk", "https://h.example/services/collector/event"},
		{"https://h.example/", "https://h.example/_bulk", "https://h.example/services/collector/event"},
		{"http://h.example:9200/es/", "http://h.example:9200/es/_bulk", "http://h.example:9200/es/services/collector/event"},
		{"https://h.example/es/_bulk", "https://h.example/es/_bulk", "https://h.example/es/_bulk/services/collector/event"},
		{"https://h.example/services/collector", "https://h.example/services/collector/_bulk", "https://h.example/services/collector/event"},
		{"https://h.example/services/collector/event/", "https://h.example/services/collector/event/_bulk",
			"https://h.example/services/collector/event"},
		{"ftp://h.example", "", ""}, {"h.example", "", ""}, {"", "", ""}, {"https://", "", ""}, {"https://u:p@h.example", "", ""},
		{"https://h.example?key=1", "", ""}, {"https://h.example#a", "", ""},
		{"https:h.example", "", ""}, {"https://h.example/%zz", "", ""}, {"javascript:alert(1)", "", ""},
	} {
		t.Run(c.base, func(t *testing.T) {
			d, clock := &doer{answer: &outbound.Response{Status: 500}}, &siemtest.Clock{}
			s, err := siem.NewSearchSender(d, siem.Search{URL: c.base}, clock.Pace())
			if c.bulk == "" {
				require.ErrorContains(t, err, "The address")
				require.NotContains(t, err.Error(), "u:p")
			} else {
				require.NoError(t, err)
				_, err = s.Send(t.Context(), numbered(1))
				require.NoError(t, err)
				sent := *d.last.URL
				sent.RawQuery = ""
				require.Equal(t, c.bulk, sent.String())
			}
			h, err := siem.NewCollectorSender(d, siem.Collector{URL: c.base, Token: secret.New("t"), Channel: guid}, clock.Pace())
			if c.hec == "" {
				require.ErrorContains(t, err, "The address")
				return
			}
			require.NoError(t, err)
			_, err = h.Send(t.Context(), numberedEvents(1))
			require.NoError(t, err)
			require.Equal(t, c.hec, d.last.URL.String())
			require.Equal(t, "Splunk t", d.last.Header.Get("Authorization"))
			require.Equal(t, guid, d.last.Header.Get("X-Splunk-Request-Channel"))
		})
	}
}

func TestAuthorization(t *testing.T) {
	for _, c := range []struct {
		target siem.Search
		want   string
	}{
		{siem.Search{}, ""},
		{siem.Search{APIKey: secret.New("aWQ6a2V5")}, "ApiKey aWQ6a2V5"},
		{siem.Search{APIKey: secret.New("id:key")}, "ApiKey aWQ6a2V5"},
		{siem.Search{Username: "u", Password: secret.New("p")}, "Basic dTpw"},
		{siem.Search{APIKey: secret.New("aWQ6a2V5"), Username: "u"}, "ApiKey aWQ6a2V5"},
	} {
		d := &doer{answer: &outbound.Response{Status: 500}}
		c.target.URL = "https://h.example"
		s, err := siem.NewSearchSender(d, c.target, (&siemtest.Clock{}).Pace())
		require.NoError(t, err)
		_, err = s.Send(t.Context(), numbered(1))
		require.NoError(t, err)
		require.Equal(t, c.want, d.last.Header.Get("Authorization"))
	}
}

func TestWrongTargets(t *testing.T) {
	pace := (&siemtest.Clock{}).Pace()
	_, err := siem.NewSearchSender(&doer{}, siem.Search{URL: "https://h.example", APIKey: secret.New("canary\r\nX: y")}, pace)
	require.ErrorContains(t, err, "no header can carry")
	require.NotContains(t, err.Error(), "canary")
	for _, c := range []siem.Collector{
		{URL: "https://h.example", Channel: "0f0e0d0c-0b0a-4908-8706-050403020100"},
		{URL: "https://h.example", Token: secret.New("canary\n"), Channel: "0f0e0d0c-0b0a-4908-8706-050403020100"},
		{URL: "https://h.example", Token: secret.New("canary"), Channel: "no guid"},
		{URL: "https://h.example", Token: secret.New("canary"), Channel: "{0f0e0d0c-0b0a-4908-8706-050403020100}"},
	} {
		_, err := siem.NewCollectorSender(&doer{}, c, pace)
		var problem *posture.Problem
		require.ErrorAs(t, err, &problem)
		require.Equal(t, posture.CodeInvalid, problem.Code)
		require.NotContains(t, err.Error(), "canary")
	}
	_, err = siem.NewSearchSender(&doer{}, siem.Search{URL: "https://h.example"}, siem.Pace{})
	require.ErrorContains(t, err, "clock")
	pace.Workers = -1
	_, err = siem.NewSearchSender(&doer{}, siem.Search{URL: "https://h.example"}, pace)
	require.ErrorContains(t, err, "negative")
}

// TestErrorsOfTheNetwork holds what reaches people when the request itself fails.
func TestErrorsOfTheNetwork(t *testing.T) {
	for _, c := range []struct {
		name   string
		err    error
		state  siem.State
		reason string
	}{
		{"refused", &url.Error{Op: "Post", URL: "https://h.example/private?x=" + key, Err: errors.New("connection refused")}, siem.Retry,
			"could not be reached: connection refused."},
		{"guarded", fmt.Errorf("do: %w", posture.Problemf(posture.CodeOutboundDenied, "The address is not allowed.")), siem.Failed,
			"The address is not allowed."},
		{"tells a secret", errors.New("bad header ApiKey " + key), siem.Retry, "could not be reached"},
		{"tells a part of a secret", errors.New("bad key canary-Secret-0123456789 and Y2FuYXJ5LWlkOmNhbmFyeS1TZWNyZXQtMDEyMzQ1Njc4OQ=="),
			siem.Retry, "could not be reached: bad key •••• and ••••"},
		{"no answer at all", nil, siem.Retry, "there was no answer"},
		{"long", errors.New(string(make([]byte, 5000))), siem.Retry, "could not be reached"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := siem.NewSearchSender(&doer{err: c.err}, siem.Search{URL: "https://h.example", APIKey: secret.New(key)},
				(&siemtest.Clock{}).Pace())
			require.NoError(t, err)
			r, err := s.Send(t.Context(), numbered(3))
			require.NoError(t, err)
			holds(t, r, 3, nil)
			for _, o := range r.Outcomes {
				require.Equal(t, c.state, o.State)
				require.Contains(t, o.Reason, c.reason)
				require.NotContains(t, o.Reason, "private")
			}
		})
	}
}

func TestPutTemplate(t *testing.T) {
	b := &siemtest.Bulk{}
	s, _ := index(t, b)
	require.NoError(t, s.PutTemplate(t.Context(), ""))
	want, err := siem.Template("")
	require.NoError(t, err)
	require.Equal(t, want, b.Templates()["edgeposture"])
	require.ErrorContains(t, s.PutTemplate(t.Context(), "A*"), "not allowed")

	for _, d := range []*doer{{answer: &outbound.Response{Status: 403}}, {err: errors.New(key)}} {
		s, err := siem.NewSearchSender(d, siem.Search{URL: "https://h.example/es", APIKey: secret.New(key)}, (&siemtest.Clock{}).Pace())
		require.NoError(t, err)
		err = s.PutTemplate(t.Context(), "")
		var problem *posture.Problem
		require.ErrorAs(t, err, &problem)
		require.Equal(t, posture.CodeDelivery, problem.Code)
		require.NotContains(t, err.Error(), "canary")
		require.Equal(t, "https://h.example/es/_index_template/edgeposture", d.last.URL.String())
		require.Equal(t, http.MethodPut, d.last.Method)
	}
}
