package siem

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/google/uuid"
)

// longestID is the largest number of bytes of a readable id; Elasticsearch accepts 512.
const longestID = 200

// findingDocument is the id of a finding in one assessment: the same finding in two runs makes two
// documents, the same run sent twice makes one.
func findingDocument(assessment, finding string) string { return identity(assessment, finding) }

// pathDocument hashes the id of the path, which contains names from the account.
func pathDocument(assessment, path string) string {
	return identity(assessment, "path-"+digest(path))
}

func summaryDocument(assessment string) string { return identity(assessment, "summary") }

// identity joins two ids. An id that is too long or has unusual characters is hashed, so that every
// receiver accepts it.
func identity(assessment, rest string) string {
	if idCharacters(assessment) && idCharacters(rest) && len(assessment)+len(rest) < longestID {
		return assessment + ":" + rest
	}
	return digest(assessment + "\x00" + rest)
}

func idCharacters(s string) bool {
	for _, c := range []byte(s) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && c != '-' && c != '_' && c != '.' {
			return false
		}
	}
	return s != "" && s[0] != '_'
}

// digest returns the first 16 bytes of SHA-256 in hex.
func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:16])
}

// ruleUUID is the same for a check in every installation (UUID version 5, RFC 9562).
func ruleUUID(check string) string {
	return uuid.NewSHA1(uuid.NameSpaceURL, []byte("https://github.com/edgeposture/edgeposture/checks/"+check)).String()
}
