package setting

import (
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
	_, err := addFile(all, "credentials", credentials)
	return err
}

// addFile adds a file's keys and sections to all and reports whether there is
// such a file.
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
		section := key[:strings.Index(key, "] ")+1]
		all[kind+" "+section] = lending{section + " in " + name, section}
		all[kind+" "+key] = lending{key + " in " + name, value}
	}
	return true, nil
}
