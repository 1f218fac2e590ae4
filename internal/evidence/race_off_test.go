//go:build !race

package evidence_test

const raced = false
