package siem_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/securityhub/types"
	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/delivery/export"
	"github.com/edgeposture/edgeposture/internal/delivery/export/exporttest"
	"github.com/edgeposture/edgeposture/internal/delivery/siem"
	"github.com/edgeposture/edgeposture/internal/delivery/siem/siemtest"
)

// hub is AWS Security Hub as far as an import goes: it holds each request against
// the rules of BatchImportFindings and answers as told.
type hub struct {
	t       *testing.T
	account string
	region  string
	answer  func(call int, in []types.AwsSecurityFinding) (status int, code string, failed map[string]string)

	// says is a body to answer with instead of what became of the findings.
	says string

	mu    sync.Mutex
	calls int
	has   map[string]int
}

func (h *hub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.calls++
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		panic(err)
	}
	var in struct{ Findings []types.AwsSecurityFinding }
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	code := ""
	if wrong := h.wrong(r, raw, d.Decode(&in), in.Findings); wrong != "" {
		h.t.Error(wrong)
		code = "InvalidInputException"
	}
	status, failed := 200, map[string]string{}
	if code != "" {
		status = 400
	} else if h.answer != nil {
		status, code, failed = h.answer(h.calls, in.Findings)
	}
	w.Header().Set("Content-Type", "application/json")
	if code != "" {
		w.Header().Set("X-Amzn-ErrorType", code)
		w.WriteHeader(status)
		_, _ = fmt.Fprintf(w, `{"Message":"canary of the receiver","Code":%q}`, code)
		return
	}
	out := struct {
		FailedCount, SuccessCount int
		FailedFindings            []map[string]string
	}{FailedFindings: []map[string]string{}}
	for _, f := range in.Findings {
		if why := failed[*f.Id]; why != "" {
			out.FailedCount++
			out.FailedFindings = append(out.FailedFindings, map[string]string{"Id": *f.Id, "ErrorCode": why, "ErrorMessage": "canary"})
			continue
		}
		out.SuccessCount++
		h.has[*f.Id]++
	}
	w.WriteHeader(status)
	if h.says != "" {
		_, _ = io.WriteString(w, h.says)
		return
	}
	_ = json.NewEncoder(w).Encode(out)
}

// wrong says which rule a request breaks. Source: Security Hub API reference,
// BatchImportFindings and AwsSecurityFinding.
func (h *hub) wrong(r *http.Request, raw []byte, decoded error, in []types.AwsSecurityFinding) string {
	product := fmt.Sprintf("arn:aws:securityhub:%s:%s:product/%s/default", h.region, h.account, h.account)
	auth := regexp.MustCompile(`^AWS4-HMAC-SHA256 Credential=AKIATEST/\d{8}/` + h.region +
		`/securityhub/aws4_request, SignedHeaders=\S+, Signature=[0-9a-f]{64}$`)
	switch {
	case decoded != nil:
		return "the body: " + decoded.Error()
	case r.Method != http.MethodPost || r.URL.Path != "/findings/import":
		return r.Method + " " + r.URL.Path
	case !auth.MatchString(r.Header.Get("Authorization")):
		return "not signed: " + r.Header.Get("Authorization")
	case len(in) == 0 || len(in) > 100 || len(raw) > 6_000_000:
		return fmt.Sprintf("%d findings in %d bytes", len(in), len(raw))
	}
	for _, f := range in {
		body, err := json.Marshal(f)
		switch {
		case err != nil || len(body) > 240_000:
			return fmt.Sprintf("%s has %d bytes", *f.Id, len(body))
		case aws.ToString(f.AwsAccountId) != h.account:
			return "account " + aws.ToString(f.AwsAccountId)
		case aws.ToString(f.Region) != h.region:
			return "region " + aws.ToString(f.Region)
		case aws.ToString(f.ProductArn) != product:
			return "product " + aws.ToString(f.ProductArn)
		case aws.ToString(f.SchemaVersion) != "2018-10-08" || aws.ToString(f.GeneratorId) == "" || aws.ToString(f.Title) == "" ||
			aws.ToString(f.Description) == "" || f.Severity == nil || len(f.Resources) == 0 || f.CreatedAt == nil || f.UpdatedAt == nil:
			return "a field that is needed is missing in " + *f.Id
		}
	}
	return ""
}

const hubAccount, hubRegion = "210987654321", "eu-central-1"

// startHub serves a hub and has the SDK find it and the credentials as it would on
// a server.
func startHub(t *testing.T) (*hub, *siem.SecurityHubSender) {
	t.Helper()
	h := &hub{t: t, account: hubAccount, region: hubRegion, has: map[string]int{}}
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	for name, value := range map[string]string{"AWS_ACCESS_KEY_ID": "AKIATEST", "AWS_SECRET_ACCESS_KEY": "canary-secret-key",
		"AWS_ENDPOINT_URL_SECURITYHUB": server.URL, "AWS_EC2_METADATA_DISABLED": "true", "AWS_CONFIG_FILE": "/dev/null",
		"AWS_SHARED_CREDENTIALS_FILE": "/dev/null", "AWS_MAX_ATTEMPTS": "3", "AWS_PROFILE": ""} {
		t.Setenv(name, value)
	}
	s, err := siem.NewSecurityHubSender(t.Context(), siemtest.NewClient(t), hubRegion)
	require.NoError(t, err)
	require.Equal(t, server.URL, s.Destination(t.Context()))
	return h, s
}

func hubFindings(t *testing.T) []export.ASFFFinding {
	t.Helper()
	var out []export.ASFFFinding
	for _, d := range []export.Document{exporttest.Large(400), exporttest.Document(7)} { // the second with hostile names
		d.ASFF = export.ASFF{AccountID: hubAccount, Region: hubRegion}
		for f, err := range export.ASFFFindings(d) {
			require.NoError(t, err)
			out = append(out, f)
		}
	}
	require.Greater(t, len(out), 300)
	return out
}

// TestSecurityHubTakesAll: every finding of a document, in calls that keep the rules.
func TestSecurityHubTakesAll(t *testing.T) {
	h, s := startHub(t)
	all := hubFindings(t)
	r := s.Send(t.Context(), all)
	require.Len(t, h.has, len(all))
	require.Equal(t, (len(all)+99)/100, h.calls)
	for i, o := range r.Outcomes {
		require.Equal(t, siem.ItemOutcome{ID: all[i].ID, State: siem.Sent}, o)
	}
}

// TestSecurityHubTellsWhatFailed: each finding has its own outcome, what passes is
// tried again by the SDK, and what the receiver wrote goes nowhere.
func TestSecurityHubTellsWhatFailed(t *testing.T) {
	all := []export.ASFFFinding{}
	type answer = func(int, []types.AwsSecurityFinding) (int, string, map[string]string)
	for name, tc := range map[string]struct {
		answer answer
		calls  int // 0: any
		state  siem.State
		says   string
		sent   int // of the others
	}{
		"one is refused": {func(_ int, in []types.AwsSecurityFinding) (int, string, map[string]string) {
			return 200, "", map[string]string{all[0].ID: "InvalidInput"}
		}, 3, siem.Failed, "(InvalidInput)", 249},
		"one has to wait": {func(_ int, in []types.AwsSecurityFinding) (int, string, map[string]string) {
			return 200, "", map[string]string{all[0].ID: "InternalFailure"}
		}, 3, siem.Retry, "(InternalFailure)", 249},
		"a code that is none": {func(_ int, in []types.AwsSecurityFinding) (int, string, map[string]string) {
			return 200, "", map[string]string{all[0].ID: "canary <b>"}
		}, 3, siem.Failed, "refused the finding.", 249},
		"one spoils its call": {func(_ int, in []types.AwsSecurityFinding) (int, string, map[string]string) {
			for _, f := range in {
				if *f.Id == all[0].ID {
					return 400, "InvalidInputException", nil
				}
			}
			return 200, "", nil
		}, 0, siem.Failed, "(InvalidInputException)", 249},
		"busy for a moment": {func(call int, _ []types.AwsSecurityFinding) (int, string, map[string]string) {
			if call < 3 {
				return 429, "LimitExceededException", nil
			}
			return 200, "", nil
		}, 5, siem.Sent, "", 249},
		"busy for long": {func(int, []types.AwsSecurityFinding) (int, string, map[string]string) {
			return 500, "InternalException", nil
		}, 3, siem.Retry, "asked for later (InternalException)", 0},
		"not allowed": {func(int, []types.AwsSecurityFinding) (int, string, map[string]string) {
			return 403, "AccessDeniedException", nil
		}, 1, siem.Failed, "securityhub:BatchImportFindings", 0},
		"not switched on": {func(int, []types.AwsSecurityFinding) (int, string, map[string]string) {
			return 401, "InvalidAccessException", nil
		}, 1, siem.Failed, "(InvalidAccessException)", 0},
	} {
		t.Run(name, func(t *testing.T) {
			h, s := startHub(t)
			all = hubFindings(t)[:250]
			h.answer = tc.answer
			r := s.Send(t.Context(), all)
			require.Len(t, r.Outcomes, len(all))
			require.Equal(t, tc.state, r.Outcomes[0].State, r.Outcomes[0].Reason)
			require.Contains(t, r.Outcomes[0].Reason, tc.says)
			sent := 0
			for i, o := range r.Outcomes {
				require.Equal(t, all[i].ID, o.ID)
				require.NotContains(t, o.Reason, "canary")
				if i > 0 && o.State == siem.Sent {
					sent++
				}
			}
			require.Equal(t, tc.sent, sent)
			if tc.calls > 0 {
				require.Equal(t, tc.calls, h.calls)
			}
		})
	}
}

// TestSecurityHubIsNotThere: no credentials, nobody there, and an end of patience
// lose nothing.
func TestSecurityHubIsNotThere(t *testing.T) {
	h, _ := startHub(t)
	all := hubFindings(t)[:3]
	sender := func() *siem.SecurityHubSender {
		s, err := siem.NewSecurityHubSender(t.Context(), siemtest.NewClient(t), hubRegion)
		require.NoError(t, err)
		return s
	}
	ended, end := context.WithCancel(t.Context())
	end()
	require.Contains(t, sender().Send(ended, all).Outcomes[2].Reason, "stopped")
	t.Setenv("AWS_ENDPOINT_URL_SECURITYHUB", "http://127.0.0.1:1")
	gone := sender().Send(t.Context(), all).Outcomes[2]
	require.Equal(t, siem.Retry, gone.State)
	require.Contains(t, gone.Reason, "could not be reached")
	t.Setenv("AWS_ACCESS_KEY_ID", "")
	none := sender().Send(t.Context(), all).Outcomes[2]
	require.Equal(t, siem.Retry, none.State)
	require.Contains(t, none.Reason, "no AWS credentials")
	require.Zero(t, h.calls)
	t.Setenv("AWS_ENDPOINT_URL_SECURITYHUB", "")
	require.Equal(t, "https://securityhub.eu-central-1.amazonaws.com", sender().Destination(t.Context()))
}

// TestSecurityHubAccountsForAll: findings that an answer does not account for are not sent.
func TestSecurityHubAccountsForAll(t *testing.T) {
	for _, says := range []string{`{}`, `{"SuccessCount":99,"FailedCount":0,"FailedFindings":[]}`,
		`{"SuccessCount":98,"FailedCount":2,"FailedFindings":[]}`, `{"SuccessCount":100,"FailedCount":1,"FailedFindings":[]}`} {
		h, s := startHub(t)
		h.says = says
		all := hubFindings(t)[:100]
		r := s.Send(t.Context(), all)
		require.Len(t, r.Outcomes, len(all))
		for _, o := range r.Outcomes {
			require.Equal(t, siem.Retry, o.State, says)
		}
	}
}
