package exposure_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
)

func TestServiceNameKeepsNoSecret(t *testing.T) {
	require.Equal(t, "http://10.0.0.5:80", exposure.ServiceName("http://user:hidden@10.0.0.5:80/hidden?hidden"))
	require.Equal(t, "unix", exposure.ServiceName("unix:/hidden"))
}
