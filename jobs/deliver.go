package jobs

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

// ShipArguments are the arguments of a ship job. Credentials from the caller are sealed on the job;
// others come from the settings.
type ShipArguments struct {
	AssessmentID string `json:"assessmentId"`
	Target       string `json:"target"`
	// Addresses is a fingerprint of the sealed addresses, so that a request with others counts as a
	// different one.
	Addresses string `json:"addresses,omitempty"`
	// SearchURL and HECURL are only in jobs of version 1, which stored addresses in plain text.
	SearchURL       string `json:"searchUrl,omitempty"`
	HECURL          string `json:"hecUrl,omitempty"`
	SearchUsername  string `json:"searchUsername,omitempty"`
	SearchIndex     string `json:"searchIndex,omitempty"`
	HECIndex        string `json:"hecIndex,omitempty"`
	AWSAccountID    string `json:"awsAccountId,omitempty"`
	AWSRegion       string `json:"awsRegion,omitempty"`
	Kibana          bool   `json:"kibana,omitempty"`
	DryRun          bool   `json:"dryRun,omitempty"`
	IncludeTemplate bool   `json:"includeTemplate,omitempty"`
	OnlyChanges     bool   `json:"onlyChanges,omitempty"`
	// Patient says that nobody waits: what cannot be delivered now is retried for hours.
	Patient bool   `json:"patient,omitempty"`
	Replay  string `json:"replay,omitempty"`
}

// NotifyArguments are the arguments of a notify job.
type NotifyArguments struct {
	AssessmentID string   `json:"assessmentId,omitempty"`
	FailedRunID  string   `json:"failedRunId,omitempty"` // the job of a run without an assessment, which is told of instead
	Channels     []string `json:"channels,omitempty"`
	Threshold    string   `json:"threshold,omitempty"`
	When         string   `json:"when,omitempty"`
	Link         string   `json:"link,omitempty"`
	DryRun       bool     `json:"dryRun,omitempty"`
	Patient      bool     `json:"patient,omitempty"`
	Replay       string   `json:"replay,omitempty"`
}

// NewReplay makes a job that takes over a failed delivery: with what the delivery's last job was asked to
// send and how, so that it makes the same documents, but to the addresses of the settings, because those
// of a request are not kept.
func NewReplay(id, account string, d posture.Delivery, last store.JobRow, now time.Time) (store.NewJob, error) {
	var arguments any
	var asked struct{ AssessmentID, FailedRunID string }
	err := json.Unmarshal(last.Arguments, &asked)
	switch {
	case err != nil:
	case asked.AssessmentID+asked.FailedRunID == "": // a replay by a version that did not keep the rest
		return store.NewJob{}, posture.Problemf(posture.CodeConflict, "It is no longer known how the delivery %s was asked for, so it cannot "+
			"be replayed; send the assessment anew.", d.ID)
	case d.Kind == posture.JobShip:
		var args ShipArguments
		err = json.Unmarshal(last.Arguments, &args)
		args.Target, args.Addresses, args.SearchURL, args.HECURL, args.Patient, args.Replay = d.Target, "", "", "", false, d.ID
		arguments = args
	default:
		var args NotifyArguments
		err = json.Unmarshal(last.Arguments, &args)
		args.Channels, args.Patient, args.Replay = []string{d.Target}, false, d.ID
		arguments = args
	}
	if err != nil {
		return store.NewJob{}, fmt.Errorf("read how the delivery was asked for: %w", err)
	}
	n, err := New(d.Kind, id, account, "interactive", arguments, now)
	n.ActiveKey = "replay:" + d.ID
	return n, err
}

// New makes a job of any kind except assess. The caller adds the credential and the active key if there
// are any.
func New(kind posture.JobKind, id, account, queue string, arguments any, now time.Time) (store.NewJob, error) {
	args, err := json.Marshal(arguments)
	if err != nil {
		return store.NewJob{}, fmt.Errorf("write the arguments of the job: %w", err)
	}
	sum := sha256.Sum256(append([]byte(kind+"\x00"), args...))
	return store.NewJob{ID: id, Kind: kind, Queue: queue, Account: account, Arguments: args, BodyHash: hex.EncodeToString(sum[:]),
		CreatedAt: now}, nil
}

// follow makes the jobs that send the results of a run.
func follow(after posture.AfterRun, account, assessmentID string, newID func() string, now time.Time) ([]store.NewJob, error) {
	var out []store.NewJob
	add := func(kind posture.JobKind, arguments any) error {
		n, err := New(kind, newID(), account, "delivery", arguments, now)
		out = append(out, n)
		return err
	}
	if after.Ship != "" {
		if err := add(posture.JobShip, ShipArguments{AssessmentID: assessmentID, Target: after.Ship, OnlyChanges: after.OnlyChanges,
			Patient: true}); err != nil {
			return nil, err
		}
	}
	if len(after.Notify) > 0 {
		if err := add(posture.JobNotify, NotifyArguments{AssessmentID: assessmentID, Channels: after.Notify, Threshold: after.Threshold,
			When: after.When, Patient: true}); err != nil {
			return nil, err
		}
	}
	return out, nil
}
