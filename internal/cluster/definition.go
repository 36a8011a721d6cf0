package cluster

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"text/template"
)

// fillIn returns the definition with values in place of its {{.Names}}. A name
// without a value is an error.
func fillIn(definition string, values map[string]any) (string, error) {
	t, err := template.New("definition").Option("missingkey=error").Parse(definition)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = t.Execute(&b, values)
	return b.String(), err
}

// writeFiles writes files, given by name and text, below dir.
func writeFiles(dir string, files map[string]string) error {
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// fileURL returns the URL of the file with the given path, as programs want it
// that take URLs for their configuration.
func fileURL(path ...string) string {
	u := url.URL{Scheme: "file", Path: filepath.ToSlash(filepath.Join(path...))}
	return u.String()
}
