package email

import (
	"testing"

	"github.com/edgeposture/edgeposture/internal/check/checktest"
)

func TestChecks(t *testing.T) { checktest.Conform(t, Checks()) }
