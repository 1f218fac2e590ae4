package queue

import (
	"crypto/tls"
	"testing"

	"github.com/alicebob/miniredis/v2"
	"github.com/alicebob/miniredis/v2/server"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"
)

func TestAddresses(t *testing.T) {
	for _, c := range []struct {
		address string
		want    func(t *testing.T, rdb redis.UniversalClient)
	}{
		{"redis://u:p@a:1/2", func(t *testing.T, rdb redis.UniversalClient) {
			o := rdb.(*redis.Client).Options()
			require.Equal(t, []any{"a:1", "u", "p", 2}, []any{o.Addr, o.Username, o.Password, o.DB})
			require.Nil(t, o.TLSConfig)
		}},
		{"rediss://a:1", func(t *testing.T, rdb redis.UniversalClient) {
			require.Equal(t, "a", serverName(rdb.(*redis.Client).Options().TLSConfig))
		}},
		{"redis-cluster://u:p@a:1,b:2,c:3", func(t *testing.T, rdb redis.UniversalClient) {
			o := rdb.(*redis.ClusterClient).Options()
			require.Equal(t, []string{"a:1", "b:2", "c:3"}, o.Addrs)
			require.Equal(t, []string{"u", "p"}, []string{o.Username, o.Password})
			require.Nil(t, o.TLSConfig)
		}},
		{"rediss-cluster://a:1", func(t *testing.T, rdb redis.UniversalClient) {
			o := rdb.(*redis.ClusterClient).Options()
			require.Equal(t, []string{"a:1"}, o.Addrs)
			require.Equal(t, "a", serverName(o.TLSConfig))
		}},
		{"redis-sentinel://u:p@a:1,b:2/main", func(t *testing.T, rdb redis.UniversalClient) {
			o := rdb.(*redis.Client).Options()
			require.Equal(t, []string{"FailoverClient", "u", "p"}, []string{o.Addr, o.Username, o.Password})
		}},
	} {
		t.Run(c.address, func(t *testing.T) {
			rdb, err := dial(c.address)
			require.NoError(t, err)
			defer func() { require.NoError(t, rdb.Close()) }()
			c.want(t, rdb)
		})
	}
	for address, want := range map[string]string{
		"redis://%zz":                "REDIS_URL is not an address",
		"http://a:1":                 "redis://user:password@host:6379/0",
		"redis-cluster://a:1/x?db=y": "redis-cluster://host1:6379,host2:6379",
	} {
		_, err := dial(address)
		require.ErrorContains(t, err, want, address)
	}
}

// TestUnknownMaster: Sentinels that know no such master answer nothing, and the sentence says what to correct.
func TestUnknownMaster(t *testing.T) {
	sentinel, err := miniredis.Run()
	require.NoError(t, err)
	t.Cleanup(sentinel.Close)
	require.NoError(t, sentinel.Server().Register("SENTINEL", func(c *server.Peer, _ string, _ []string) { c.WriteNull() }))
	_, err = Connect(t.Context(), "redis-sentinel://:canary-password@"+sentinel.Addr()+"/other")
	require.EqualError(t, err, "the Sentinels at REDIS_URL know no master of the name in it; correct the name after the /")
}

func serverName(c *tls.Config) string {
	if c == nil {
		return "no TLS"
	}
	return c.ServerName
}
