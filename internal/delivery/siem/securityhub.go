package siem

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/securityhub"
	"github.com/aws/aws-sdk-go-v2/service/securityhub/types"
	"github.com/aws/smithy-go"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/delivery/export"
)

// hubName is the name shown to people.
const hubName = "AWS Security Hub"

// SecurityHubSender imports findings into AWS Security Hub (BatchImportFindings). The SDK takes the
// credentials from its default chain and retries temporary errors itself.
type SecurityHubSender struct {
	credentials aws.CredentialsProvider
	api         *securityhub.Client
}

// NewSecurityHubSender prepares a sender for a region. The SDK's variables and files are read now,
// credentials on the first send.
func NewSecurityHubSender(ctx context.Context, doer Doer, region string) (*SecurityHubSender, error) {
	cfg, err := config.LoadDefaultConfig(ctx, config.WithRegion(region), config.WithAppID("Edgeposture"))
	if err != nil {
		return nil, posture.Problemf(posture.CodeDelivery, "The AWS configuration of the server cannot be read; check its AWS_* variables and "+
			"the files they name.")
	}
	return &SecurityHubSender{credentials: cfg.Credentials,
		api: securityhub.NewFromConfig(cfg, func(o *securityhub.Options) { o.HTTPClient = transport{doer} })}, nil
}

// Destination is the origin that findings are sent to; "" when it is unknown.
func (s *SecurityHubSender) Destination(ctx context.Context) string {
	o := s.api.Options()
	to, err := o.EndpointResolverV2.ResolveEndpoint(ctx, securityhub.EndpointParameters{Region: &o.Region, Endpoint: o.BaseEndpoint,
		UseFIPS: aws.Bool(o.EndpointOptions.UseFIPSEndpoint == aws.FIPSEndpointStateEnabled), UseDualStack: aws.Bool(false)})
	if err != nil {
		return ""
	}
	return to.URI.Scheme + "://" + to.URI.Host
}

// transport makes the SDK send through doer.
type transport struct{ doer Doer }

// Do implements aws.HTTPClient.
func (t transport) Do(r *http.Request) (*http.Response, error) {
	answer, err := t.doer.Do(r)
	if err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: answer.Status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: answer.Header,
		Body: io.NopCloser(bytes.NewReader(answer.Body)), ContentLength: int64(len(answer.Body)), Request: r}, nil
}

// Send imports findings, one batch after the other, and returns the outcome of each.
func (s *SecurityHubSender) Send(ctx context.Context, findings []export.ASFFFinding) Report {
	r := Report{}
	for len(findings) > 0 {
		n, size := 0, 0
		for n < min(len(findings), export.ASFFPerRequest) && (n == 0 || size+len(findings[n].Body) < export.ASFFRequestBytes) {
			size += len(findings[n].Body) + len(",")
			n++
		}
		outcomes, halt := s.batch(ctx, findings[:n])
		r.Outcomes, findings = append(r.Outcomes, outcomes...), findings[n:]
		if halt { // the other batches would get the same answer
			last := outcomes[len(outcomes)-1]
			r.Outcomes, findings = append(r.Outcomes, alike(findings, last.State, last.Reason)...), nil
		}
	}
	return r
}

func alike(findings []export.ASFFFinding, state State, reason string) []ItemOutcome {
	out := make([]ItemOutcome, len(findings))
	for i, f := range findings {
		out[i] = ItemOutcome{ID: f.ID, State: state, Reason: reason}
	}
	return out
}

// batch imports at most as many findings as one call accepts. A call that is refused because of its
// content is split, to isolate the bad finding.
func (s *SecurityHubSender) batch(ctx context.Context, batch []export.ASFFFinding) (out []ItemOutcome, halt bool) {
	in := &securityhub.BatchImportFindingsInput{Findings: make([]types.AwsSecurityFinding, len(batch))}
	for i, f := range batch {
		if json.Unmarshal(f.Body, &in.Findings[i]) != nil { // the field names are the same
			return alike(batch, Failed, "A finding is not in the form of AWS."), false
		}
	}
	if _, err := s.credentials.Retrieve(ctx); err != nil && ctx.Err() == nil {
		return alike(batch, Retry, "The server has no AWS credentials; give it a role, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY."), true
	}
	answer, err := s.api.BatchImportFindings(ctx, in)
	if err != nil {
		v := judgeImport(ctx, err)
		if v.apart && len(batch) > 1 {
			left, halt := s.batch(ctx, batch[:len(batch)/2])
			right, halted := s.batch(ctx, batch[len(batch)/2:])
			return append(left, right...), halt || halted
		}
		return alike(batch, v.state, v.reason), v.halt
	}
	out = alike(batch, Sent, "")
	failed := len(answer.FailedFindings)
	if int(aws.ToInt32(answer.FailedCount)) != failed || int(aws.ToInt32(answer.SuccessCount))+failed != len(batch) {
		out = alike(batch, Retry, hubName+" answered without saying what became of the finding.") // an import again changes nothing
	}
	for _, f := range answer.FailedFindings {
		if i := slices.IndexFunc(out, func(o ItemOutcome) bool { return o.ID == aws.ToString(f.Id) }); i >= 0 {
			out[i].State, out[i].Reason = Failed, hubName+" refused the finding"+errorName(aws.ToString(f.ErrorCode))+"."
			if passes(aws.ToString(f.ErrorCode)) {
				out[i].State = Retry
			}
		}
	}
	return out, false
}

// importVerdict is the meaning of a failed call for its findings.
type importVerdict struct {
	state       State
	reason      string
	apart, halt bool
}

func judgeImport(ctx context.Context, err error) importVerdict {
	var problem *posture.Problem
	var said smithy.APIError
	switch {
	case ctx.Err() != nil:
		return importVerdict{state: Retry, reason: "Sending was stopped; nobody knows whether it arrived.", halt: true}
	case errors.As(err, &problem) && problem.Code == posture.CodeOutboundDenied:
		return importVerdict{state: Failed, reason: reasonOf(problem.Detail), halt: true}
	case !errors.As(err, &said):
		return importVerdict{state: Retry, reason: hubName + " could not be reached; check the region and the network of the server.", halt: true}
	case said.ErrorCode() == "InvalidInputException":
		return importVerdict{state: Failed, reason: hubName + " refused the finding (InvalidInputException).", apart: true}
	case said.ErrorFault() == smithy.FaultServer || passes(said.ErrorCode()):
		return importVerdict{state: Retry, reason: hubName + " asked for later" + errorName(said.ErrorCode()) + ".", halt: true}
	default:
		return importVerdict{state: Failed, halt: true, reason: fmt.Sprintf("%s refused the import%s; check that it is on in the account and "+
			"the region, and that the server's AWS role may call securityhub:BatchImportFindings.", hubName, errorName(said.ErrorCode()))}
	}
}

// passes reports whether an AWS error code is worth a retry.
func passes(code string) bool {
	return regexp.MustCompile(`^(Throttl|TooManyRequests|RequestLimitExceeded|LimitExceeded|Internal|ServiceUnavailable|RequestTimeout)`).
		MatchString(code)
}

// errorName names an error by its code; the receiver's other texts are not passed on.
func errorName(code string) string {
	if regexp.MustCompile(`^[A-Za-z]{1,60}$`).MatchString(code) {
		return " (" + code + ")"
	}
	return ""
}
