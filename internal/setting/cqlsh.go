package setting

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// readCqlsh adds what cqlsh's files say to all, under names such as
// "cqlshrc [ssl] certfile". The home directory is that of the variable HOME.
// They are not read if there is no cluster that they could be for.
func readCqlsh(all lendings) error {
	home := all["HOME"].value
	if home == "" || all["CASSANDRA_ENDPOINTS"].value == "" && all["CQLSH_HOST"].value == "" {
		return nil
	}
	for _, name := range []string{".cassandra/cqlshrc", ".cqlshrc"} {
		found, err := addFile(all, "cqlshrc", filepath.Join(home, name))
		if err != nil {
			return err
		}
		if found {
			break
		}
	}
	credentials := filepath.Join(home, ".cassandra", "credentials")
	if named := all["cqlshrc [authentication] credentials"].value; named != "" {
		credentials, _ = homePath(named, all)
	}
	if _, err := addFile(all, "credentials", credentials); err != nil {
		return err
	}
	return addCertificates(all)
}

// addFile adds a file's keys to all and reports whether there is such a file.
func addFile(all lendings, kind, path string) (found bool, err error) {
	name := path
	if rest, ok := strings.CutPrefix(path, all["HOME"].value+"/"); ok {
		name = "~/" + rest
	}
	text, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, err
	}
	keys, err := parseINI(string(text))
	if err != nil {
		return false, fmt.Errorf("%s: %w", name, err)
	}
	for key, value := range keys {
		all[kind+" "+key] = lending{key + " in " + name, value}
	}
	return true, nil
}

// addCertificates adds "cqlshrc [certfiles]", the certificate of all hosts in
// CASSANDRA_ENDPOINTS, if they have one of their own. The suite has only one
// setting for them all.
func addCertificates(all lendings) error {
	var first lending
	for i, text := range split(cmp.Or(all["CASSANDRA_ENDPOINTS"].value, all["CQLSH_HOST"].value)) {
		a, err := parseAddress("cassandra", text)
		if err != nil {
			return nil // CASSANDRA_ENDPOINTS is wrong, which is said elsewhere
		}
		one, ok := all["cqlshrc [certfiles] "+a.host]
		if !ok {
			one = all["cqlshrc [ssl] certfile"]
		}
		if i > 0 && one.value != first.value {
			return fmt.Errorf("%s: the hosts of CASSANDRA_ENDPOINTS have different ones; set CASSANDRA_TLS_CA to a file of them all", one.name)
		}
		first = one
	}
	all["cqlshrc [certfiles]"] = first
	return nil
}
