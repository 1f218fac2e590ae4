package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/drift"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/delivery/deliver"
	"github.com/edgeposture/edgeposture/internal/delivery/export"
	"github.com/edgeposture/edgeposture/internal/delivery/siem"
	"github.com/edgeposture/edgeposture/internal/engine/work"
	"github.com/edgeposture/edgeposture/internal/platform/outbound"
	"github.com/edgeposture/edgeposture/internal/platform/setting"
	"github.com/edgeposture/edgeposture/internal/store"
)

// The targets of a ship job; all means search and collector.
const (
	TargetSearch    = "search"
	TargetCollector = "collector"
	TargetFile      = "file"
	TargetAll       = "all"
)

// previewed is how many documents a dry run shows per target.
const previewed = 5

// Ship sends an assessment to a search index, an event collector, AWS Security Hub or files.
type Ship struct {
	Store    store.Store
	Settings *setting.Overlay
	Client   *outbound.Client // allows responses to whole batches
	Deliver  *deliver.Runner
	Key      secret.Key
	Files    Files
	Version  string
	Host     string // the host field of events
}

// ShipResult is the answer of a ship job.
type ShipResult struct {
	Target      string       `json:"target"`
	Documents   int          `json:"documents" doc:"Documents of the largest target."`
	Search      *ShipCount   `json:"search,omitempty"`
	Collector   *ShipCount   `json:"collector,omitempty"`
	SecurityHub *ShipCount   `json:"securityhub,omitempty"`
	Files       []File       `json:"files,omitempty"`
	Preview     *ShipPreview `json:"preview,omitempty" doc:"The first documents; only of a dry run."`
}

// ShipCount is the result of one target.
type ShipCount struct {
	Sent       int      `json:"sent"`
	Failed     int      `json:"failed"`
	Errors     []string `json:"errors" doc:"Distinct reasons."`
	DeliveryID string   `json:"deliveryId,omitempty"`
}

// ShipPreview shows what would be sent.
type ShipPreview struct {
	Search      []json.RawMessage `json:"search,omitempty"`
	Collector   []json.RawMessage `json:"collector,omitempty"`
	SecurityHub []json.RawMessage `json:"securityhub,omitempty"`
}

// Kind returns the kind of job.
func (Ship) Kind() posture.JobKind { return posture.JobShip }

// Work delivers to each target of the job.
func (k Ship) Work(ctx context.Context, a work.Attempt) (work.Result, error) {
	args, err := arguments[ShipArguments](a)
	if err != nil {
		return work.Result{}, err
	}
	own, err := brought(k.Key, a.Row)
	if err != nil {
		return work.Result{}, err
	}
	r, err := k.route(ctx, args, own)
	if err != nil {
		return work.Result{}, err
	}
	s, err := k.shipment(ctx, a, args, r)
	if err != nil {
		return work.Result{}, err
	}
	result, err := s.run(ctx)
	if err != nil {
		return work.Result{}, err
	}
	return outcome(result)
}

// Check validates a request; the error is a problem that names the field.
func (k Ship) Check(ctx context.Context, args ShipArguments, own Brought) error {
	if err := k.options(args, nil).Check(); err != nil {
		return err
	}
	if args.DryRun {
		return nil
	}
	_, err := k.route(ctx, args, own)
	return err
}

// route holds the targets of a job; nil for those it does not have.
type route struct {
	search    *siem.Search
	collector *siem.Collector
	hub       *export.ASFF
}

func (k Ship) route(ctx context.Context, args ShipArguments, own Brought) (r route, err error) {
	values, err := k.Settings.Read(ctx)
	if err != nil {
		return r, err
	}
	if args.Target == TargetSearch || args.Target == TargetAll {
		if r.search, err = searchOf(args, own, values); err != nil && !args.DryRun {
			return r, err
		}
	}
	if args.Target == TargetCollector || args.Target == TargetAll {
		if r.collector, err = collectorOf(args, own, values); err != nil && !args.DryRun {
			return r, err
		}
	}
	if args.Target == TargetSecurityHub {
		if r.hub, err = hubOf(args, values); err != nil && !args.DryRun {
			return r, err
		}
	}
	return r, nil
}

func searchOf(args ShipArguments, own Brought, values setting.Values) (*siem.Search, error) {
	own = own.with(setting.SearchURL, args.SearchURL).with(setting.SearchUsername, args.SearchUsername)
	at := own.address(values, setting.SearchURL)
	if at.IsZero() {
		return nil, missing("searchUrl", "Elasticsearch or OpenSearch has no address")
	}
	s := &siem.Search{URL: at.Reveal()}
	var err error
	if s.APIKey, err = own.credential(values, setting.SearchAPIKey, at); err != nil {
		return nil, err
	}
	user, err := own.credential(values, setting.SearchUsername, at)
	if err != nil {
		return nil, err
	}
	if s.Password, err = own.credential(values, setting.SearchPassword, at); err != nil {
		return nil, err
	}
	s.Username = user.Reveal()
	if s.APIKey.IsZero() && (s.Username == "" || s.Password.IsZero()) {
		return nil, missing("searchApiKey", "Elasticsearch or OpenSearch needs an API key, or a user with a password")
	}
	return s, nil
}

func collectorOf(args ShipArguments, own Brought, values setting.Values) (*siem.Collector, error) {
	own = own.with(setting.HECURL, args.HECURL)
	at := own.address(values, setting.HECURL)
	if at.IsZero() {
		return nil, missing("hecUrl", "Splunk HEC has no address")
	}
	token, err := own.credential(values, setting.HECToken, at)
	if err != nil {
		return nil, err
	}
	if token.IsZero() {
		return nil, missing("hecToken", "Splunk HEC needs a token")
	}
	return &siem.Collector{URL: at.Reveal(), Token: token}, nil
}

func missing(field, why string) error {
	return posture.Invalid("body."+field, fmt.Sprintf("Nothing can be sent because %s; send %s with the request or save it in the settings.",
		why, field), nil)
}

func (k Ship) options(args ShipArguments, changes *siem.Changes) siem.Options {
	o := siem.Options{Index: args.SearchIndex, CollectorIndex: args.HECIndex, Host: k.Host, Changes: changes}
	if args.Kibana {
		o.Form = siem.Posture
	}
	return o
}

// shipment is one attempt at a ship job.
type shipment struct {
	k    Ship
	a    work.Attempt
	args ShipArguments
	r    route
	doc  export.Document
	o    siem.Options
	sent int // over all targets of this attempt
}

func (k Ship) shipment(ctx context.Context, a work.Attempt, args ShipArguments, r route) (*shipment, error) {
	assessment, err := k.Store.Assessment(ctx, args.AssessmentID)
	if err != nil {
		return nil, fmt.Errorf("load the assessment: %w", err)
	}
	doc, err := Document(ctx, k.Store, assessment, k.Version)
	if err != nil {
		return nil, err
	}
	var changes *siem.Changes
	if args.OnlyChanges {
		if changes, err = k.changes(ctx, assessment); err != nil {
			return nil, err
		}
		if changes != nil { // everything is new in the first run
			doc.Closed = closed(ctx, k.Store, assessment, changes.Finding)
		}
	}
	return &shipment{k: k, a: a, args: args, r: r, doc: doc, o: k.options(args, changes)}, nil
}

// changes selects what differs from the run before, or from what a narrower run since then may have
// shipped: a receiver that was told of a change in between has to learn that it was undone. nil when
// there is no run before.
func (k Ship) changes(ctx context.Context, a posture.Assessment) (*siem.Changes, error) {
	last, narrower, err := earlier(ctx, k.Store, a)
	if err != nil || last == "" {
		return nil, err
	}
	findings, paths := map[string]bool{}, map[string]bool{}
	for i, id := range append([]string{last}, narrower...) {
		d, err := since(ctx, k.Store, id, a)
		if err != nil || d == nil && i == 0 {
			return nil, err
		}
		if d == nil {
			continue // it was forgotten
		}
		for _, l := range [][]drift.Difference{d.New, d.Resolved, d.Regressed, d.Improved, d.Changed, d.Unknown} {
			for _, e := range l {
				findings[e.ID] = true
			}
		}
		for _, id := range d.RegainedIDs { // the receiver has it as unknown
			findings[id] = true
		}
		for _, p := range d.Paths.Appeared {
			paths[p.ID] = true
		}
	}
	return &siem.Changes{Finding: func(id string) bool { return findings[id] }, Path: func(id string) bool { return paths[id] }}, nil
}

func (s *shipment) run(ctx context.Context) (ShipResult, error) {
	out := ShipResult{Target: s.args.Target}
	if s.args.DryRun {
		return s.preview(out)
	}
	s.a.Progress(posture.Progress{Phase: "ship", Unit: "document"})
	var failed []posture.FieldError
	var later *posture.LaterError
	for _, t := range []struct {
		name string
		on   bool
		run  func(context.Context) (deliver.Result, error)
		into **ShipCount
	}{{TargetSearch, s.r.search != nil, s.toSearch, &out.Search}, {TargetCollector, s.r.collector != nil, s.toCollector, &out.Collector},
		{TargetSecurityHub, s.r.hub != nil, s.toSecurityHub, &out.SecurityHub}} {
		if !t.on {
			continue
		}
		result, err := t.run(ctx)
		if wait, ok := errors.AsType[*posture.LaterError](err); ok {
			if later == nil || wait.At.Before(later.At) {
				later = wait
			}
			continue
		}
		if err != nil {
			return out, err
		}
		d := result.Delivery
		*t.into = &ShipCount{Sent: d.Sent, Failed: d.Documents - d.Sent, Errors: append([]string{}, result.Errors...), DeliveryID: d.ID}
		out.Documents = max(out.Documents, d.Documents)
		if d.Sent+d.Failed < d.Documents || d.Documents > 0 && d.Sent == 0 {
			failed = append(failed, posture.FieldError{Location: t.name, Message: fmt.Sprintf("%d of %d documents sent. %s", d.Sent, d.Documents,
				d.Reason)})
		}
	}
	if later != nil {
		return out, later
	}
	if len(failed) > 0 {
		return out, unshipped(failed)
	}
	if s.args.Target == TargetFile {
		return s.toFiles(ctx, out)
	}
	return out, nil
}

func unshipped(failed []posture.FieldError) error {
	p := posture.Problemf(posture.CodeDelivery, "Not everything was delivered to the %s: %s GET /api/deliveries has the details, and a "+
		"replay sends the rest.", failed[0].Location, failed[0].Message)
	p.Errors = failed
	return p
}

// preview returns the first documents of each target and counts them all.
func (s *shipment) preview(out ShipResult) (ShipResult, error) {
	out.Preview = &ShipPreview{}
	count := func(bodies iter.Seq2[[]byte, error], into *[]json.RawMessage) error {
		n := 0
		for body, err := range bodies {
			if err != nil {
				return err
			}
			if n++; n <= previewed {
				*into = append(*into, slices.Clone(body))
			}
		}
		out.Documents = max(out.Documents, n)
		return nil
	}
	if s.args.Target == TargetSecurityHub {
		err := count(bodies(s.asff(), func(f export.ASFFFinding) []byte { return f.Body }), &out.Preview.SecurityHub)
		return out, err
	}
	if s.args.Target != TargetCollector {
		if err := count(bodies(siem.Documents(s.doc, s.o), func(d siem.Document) []byte { return d.Body }), &out.Preview.Search); err != nil {
			return out, err
		}
	}
	if s.args.Target != TargetSearch {
		if err := count(bodies(siem.Events(s.doc, s.o), func(e siem.Event) []byte { return e.Body }), &out.Preview.Collector); err != nil {
			return out, err
		}
	}
	return out, nil
}

func bodies[D any](all iter.Seq2[D, error], body func(D) []byte) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for d, err := range all {
			if !yield(body(d), err) {
				return
			}
		}
	}
}

func (s *shipment) job(target string) deliver.Job {
	return deliver.Job{Row: s.a.Row, Assessment: s.doc.Assessment, Patience: patience(s.args.Patient), Replay: s.args.Replay,
		ID: deliveryID(s.a.Row.ID, target)}
}

// pace makes a sender try twice by itself; further retries are scheduled by the delivery ledger.
func (s *shipment) pace() siem.Pace {
	return siem.Pace{Now: s.k.Deliver.Now, Sleep: s.k.Deliver.Sleep, Jitter: s.k.Deliver.Jitter, Attempts: 2, MaxWait: 5 * time.Second}
}

func (s *shipment) toSearch(ctx context.Context) (deliver.Result, error) {
	sender, err := siem.NewSearchSender(guarded{s.k.Client}, *s.r.search, s.pace())
	if err != nil {
		return deliver.Result{}, err
	}
	if s.args.IncludeTemplate {
		if err := sender.PutTemplate(ctx, s.args.SearchIndex); err != nil {
			return deliver.Result{}, err
		}
	}
	return deliver.Run(ctx, s.k.Deliver, s.job(TargetSearch), deliver.Receiver[siem.Document]{Name: TargetSearch,
		ID: func(d siem.Document) string { return d.ID }, Destination: origin(secret.New(s.r.search.URL)),
		Documents: func() iter.Seq2[siem.Document, error] { return siem.Documents(s.doc, s.o) },
		Send: func(ctx context.Context, group []siem.Document) []deliver.Verdict {
			report, err := sender.Send(ctx, each(group))
			return s.verdicts(len(group), report, err)
		}})
}

func (s *shipment) toCollector(ctx context.Context) (deliver.Result, error) {
	s.r.collector.Channel = deliveryID(s.a.Row.ID, "channel")
	sender, err := siem.NewCollectorSender(guarded{s.k.Client}, *s.r.collector, s.pace())
	if err != nil {
		return deliver.Result{}, err
	}
	return deliver.Run(ctx, s.k.Deliver, s.job(TargetCollector), deliver.Receiver[siem.Event]{Name: TargetCollector,
		ID: func(e siem.Event) string { return e.ID }, Destination: origin(secret.New(s.r.collector.URL)),
		Documents: func() iter.Seq2[siem.Event, error] { return siem.Events(s.doc, s.o) },
		Send: func(ctx context.Context, group []siem.Event) []deliver.Verdict {
			report, err := sender.Send(ctx, each(group))
			return s.verdicts(len(group), report, err)
		}})
}

func each[D any](group []D) iter.Seq2[D, error] {
	return func(yield func(D, error) bool) {
		for _, d := range group {
			if !yield(d, nil) {
				return
			}
		}
	}
}

// verdicts converts a report. What a sender did not get to is left for later.
func (s *shipment) verdicts(n int, report siem.Report, err error) []deliver.Verdict {
	out := make([]deliver.Verdict, n)
	for i := range out {
		out[i] = deliver.Verdict{Again: true, Reason: "The sending was stopped."}
		if err != nil {
			out[i].Reason = "The sending was stopped: " + posture.AsProblem(err).Detail
		}
	}
	for i, o := range report.Outcomes {
		out[i] = deliver.Verdict{Sent: o.State == siem.Sent, Again: o.State == siem.Retry, Reason: o.Reason, Wait: o.Wait}
		if out[i].Sent {
			s.sent++
		}
	}
	s.a.Progress(posture.Progress{Phase: "ship", Unit: "document", Done: s.sent, Requests: report.Requests})
	return out
}
