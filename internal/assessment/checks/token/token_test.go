package token

import (
	"testing"

	"github.com/edgeposture/edgeposture/internal/assessment/check/checktest"
)

func TestChecks(t *testing.T) { checktest.Conform(t, Checks()) }
