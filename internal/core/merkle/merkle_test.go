package merkle_test

import (
	"encoding/hex"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/merkle"
)

// TestKnownRoots holds the roots against the vectors of the Certificate Transparency
// reference tests (RFC 6962 over eight known leaves).
func TestKnownRoots(t *testing.T) {
	data := []string{"", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"}
	roots := []string{
		"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		"6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
		"fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
		"aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
		"d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
		"4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
		"76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
		"ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
		"5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
	}
	var leaves []merkle.Hash
	for n := range roots {
		root := merkle.Root(leaves)
		require.Equal(t, roots[n], hex.EncodeToString(root[:]), "%d leaves", n)
		if n < len(data) {
			raw, err := hex.DecodeString(data[n])
			require.NoError(t, err)
			leaves = append(leaves, merkle.Leaf(raw))
		}
	}
}

// TestPaths proves every leaf of trees of every small size, and nothing else.
func TestPaths(t *testing.T) {
	for n := 1; n <= 40; n++ {
		leaves := make([]merkle.Hash, n)
		for i := range leaves {
			leaves[i] = merkle.Leaf([]byte(strconv.Itoa(i)))
		}
		root := merkle.Root(leaves)
		for i := range leaves {
			path := merkle.Path(leaves, i)
			require.True(t, merkle.Proves(leaves[i], i, n, path, root))
			require.False(t, merkle.Proves(merkle.Leaf([]byte("other")), i, n, path, root))
			require.False(t, merkle.Proves(leaves[i], i, n, append(path, root), root), "a path that is too long")
			if n > 1 {
				require.False(t, merkle.Proves(leaves[i], (i+1)%n, n, path, root), "another place")
				require.False(t, merkle.Proves(leaves[i], i, n, path[1:], root), "a path that is too short")
			}
		}
		require.False(t, merkle.Proves(leaves[0], -1, n, nil, root))
		require.False(t, merkle.Proves(leaves[0], n, n, nil, root))
	}
}
