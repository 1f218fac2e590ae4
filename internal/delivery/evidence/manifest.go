// Package evidence makes and checks bundles of evidence: everything one assessment
// rests on, in one file that can be checked without the service. docs/evidence.md has
// the format to the byte. It is pure: it reads and writes what it is given.
package evidence

import (
	"strconv"
	"time"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// Format names the form of a bundle. Another form has another name.
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

// State says whether something is there, and if not why.
type State string

// NotRecorded means that an older version of the service saved the assessment and did
// not keep this. NotKept means that it was kept for its time and is gone.
const (
	Included    State = "included"
	NotRecorded State = "not_recorded"
	NotKept     State = "no_longer_kept"
)

// Subject is the assessment a bundle is of.
type Subject struct {
	ID          string                   `json:"id"`
	Account     posture.AccountRef       `json:"account"`
	Status      posture.AssessmentStatus `json:"status"`
	StartedAt   time.Time                `json:"startedAt"`
	CompletedAt time.Time                `json:"completedAt"`
	Demo        bool                     `json:"demo"`
}

// Saved tells of the digest that was kept in the store with the assessment. Included
// means that its rows matched it when the bundle was made.
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

// Info gives a key as it is shown.
func (k Key) Info() KeyInfo {
	return KeyInfo{ID: k.ID(), Algorithm: keyAlgorithm, Fingerprint: k.Fingerprint(), PublicKey: k.PEM()}
}

const keyAlgorithm = "Ed25519"

// Manifest is what is signed.
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

// signed is what the signature is over: the pre-authentication encoding of DSSE, which
// binds the bytes of the manifest to what they are.
func signed(manifest []byte) []byte {
	b := []byte("DSSEv1 " + strconv.Itoa(len(payloadType)) + " " + payloadType + " " + strconv.Itoa(len(manifest)) + " ")
	return append(b, manifest...)
}
