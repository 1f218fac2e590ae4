// Package evidence makes and verifies evidence bundles: everything that one assessment is based on, in
// one file that can be verified without the service. docs/evidence.md specifies the format to the byte.
// It is pure: it reads and writes only what it is given.
package evidence

import (
	"strconv"
	"time"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// Format is the name of the bundle format. A different format has a different name.
const Format = "edgeposture-evidence/1"

// payloadType separates signatures of manifests from all others.
const payloadType = "application/vnd.edgeposture.evidence.manifest+json;version=1"

// Names of the parts. Findings and sections come in numbered parts of at most
// recordsAtOnce records.
const (
	manifestName      = "manifest.json"
	signatureName     = "signature.json"
	assessmentName    = "assessment.json"
	pathsName         = "attack-paths.json"
	catalogueName     = "catalogue.json"
	controlsName      = "controls.json"
	findingsName      = "findings-"
	graphName         = "graph.json"
	modificationsName = "modifications.json"
	policyName        = "policy.json"
	requestName       = "request.json"
	sectionsName      = "sections-"

	recordsAtOnce = 1000
)

// State says whether something is included, and if not why.
type State string

// NotRecorded means that the assessment was saved by an older version of the service that did not store
// this. NotKept means that its retention is over.
const (
	Included    State = "included"
	NotRecorded State = "not_recorded"
	NotKept     State = "no_longer_kept"
)

// Subject is the assessment that a bundle is about.
type Subject struct {
	ID          string                   `json:"id"`
	Account     posture.AccountRef       `json:"account"`
	Status      posture.AssessmentStatus `json:"status"`
	StartedAt   time.Time                `json:"startedAt"`
	CompletedAt time.Time                `json:"completedAt"`
	Demo        bool                     `json:"demo"`
}

// Saved describes the digest that was stored with the assessment. Included means that the rows matched
// it when the bundle was made.
type Saved struct {
	State  State  `json:"state"`
	Digest string `json:"digest,omitempty"`
}

// Tree is the hash tree over the parts.
type Tree struct {
	Algorithm string `json:"algorithm"`
	Leaves    int    `json:"leaves"`
	Root      string `json:"root"`
}

const treeAlgorithm = "RFC6962-SHA256"

// Part is one leaf of the tree.
type Part struct {
	Name    string `json:"name"`
	Bytes   int64  `json:"bytes"`
	Records int    `json:"records"`
	Leaf    string `json:"leaf"`
}

// KeyInfo is the key a manifest was signed with.
type KeyInfo struct {
	ID          string `json:"id"`
	Algorithm   string `json:"algorithm"`
	Fingerprint string `json:"fingerprint"`
	PublicKey   string `json:"publicKey"`
}

// Info returns a key for display.
func (k Key) Info() KeyInfo {
	return KeyInfo{ID: k.ID(), Algorithm: keyAlgorithm, Fingerprint: k.Fingerprint(), PublicKey: k.PEM()}
}

const keyAlgorithm = "Ed25519"

// Manifest is the signed part of a bundle.
type Manifest struct {
	Format           string    `json:"format"`
	CreatedAt        time.Time `json:"createdAt"`
	Assessment       Subject   `json:"assessment"`
	ServiceVersion   string    `json:"serviceVersion"`
	CatalogueVersion string    `json:"catalogueVersion"`
	SnapshotDigest   string    `json:"snapshotDigest"`
	Saved            Saved     `json:"saved"`
	Policy           State     `json:"policy"`
	Sections         State     `json:"sections"`
	Findings         int       `json:"findings"`
	Tree             Tree      `json:"tree"`
	Parts            []Part    `json:"parts"`
	Key              KeyInfo   `json:"key"`
}

// signature is the second entry of a bundle.
type signature struct {
	KeyID       string `json:"keyId"`
	PayloadType string `json:"payloadType"`
	Signature   []byte `json:"signature"`
}

// signed returns the signed bytes: the pre-authentication encoding of DSSE, which binds the bytes of
// the manifest to their type.
func signed(manifest []byte) []byte {
	b := []byte("DSSEv1 " + strconv.Itoa(len(payloadType)) + " " + payloadType + " " + strconv.Itoa(len(manifest)) + " ")
	return append(b, manifest...)
}
