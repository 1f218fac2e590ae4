package evidence

import (
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// TestTinyElementsTakeNoMemory: anybody may sign a bundle whose lists have elements of two bytes; 5 MB of findings took 3 GB.
func TestTinyElementsTakeNoMemory(t *testing.T) {
	for _, name := range []string{findingsName + "000001.json", sectionsName + "000001.json"} {
		for _, element := range []string{"null", "{}"} {
			data := []byte("[" + strings.Repeat(element+",", 1<<20) + element + "]")
			c := newContent(Manifest{}, Options{})
			c.digest = snapshot.NewDigester("a", nil)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			err := c.part(Part{Name: name, Records: 1<<20 + 1}, data)
			runtime.ReadMemStats(&after)
			require.Error(t, err, "%s of %s", name, element)
			require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(64<<20), "%s of %s", name, element)
		}
	}
}
