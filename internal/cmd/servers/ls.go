package main

import (
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"kvbench/internal/cluster"
)

// ls lists all clusters.
func (t *tool) ls(args []string) error {
	if err := t.none(newFlags("ls", ""), args); err != nil {
		return err
	}
	all, err := cluster.FindKept()
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(t.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "NAME\tSYSTEM\tVERSION\tSOURCE\tNODES\tSINCE\tENDPOINTS\tSTATE")
	for _, k := range all {
		since := ""
		if !k.Since.IsZero() {
			since = k.Since.Format(time.DateTime)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%d\t%s\t%s\t%s\n",
			k.Name, k.System, k.Version, k.Kind, len(k.Servers), since, strings.Join(k.Endpoints(), ","), state(k))
	}
	return w.Flush()
}

// state says how a cluster is.
func state(k *cluster.Kept) string {
	health, err := k.Health()
	if err != nil {
		return err.Error()
	}
	return health.String()
}
