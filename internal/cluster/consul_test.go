package cluster

import (
	"context"
	"fmt"
	"testing"

	"github.com/hashicorp/consul/api"
)

func TestConsul(t *testing.T) {
	for _, nodes := range []int{1, 3} {
		t.Run(fmt.Sprint(nodes), func(t *testing.T) {
			testCluster(t, Spec{System: Consul, Nodes: nodes, DataDir: t.TempDir(), Ready: at(putConsul), Announce: announceTo(t)})
		})
	}
}

// putConsul is one real operation on Consul, which waits for a leader.
func putConsul(ctx context.Context, endpoints []string) error {
	client, err := api.NewClient(&api.Config{Address: endpoints[0]})
	if err != nil {
		return err
	}
	opts := new(api.WriteOptions).WithContext(ctx)
	_, err = client.KV().Put(&api.KVPair{Key: "kvbench/ready", Value: []byte("1")}, opts)
	return err
}
