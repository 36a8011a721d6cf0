package cluster

import (
	"fmt"
	"os"
	"strings"
)

// engineEnv is what a keeper needs to know of this process's environment to find
// the Docker engine, and to log in to the registries of images.
//
// Ryuk, the container that removes what testcontainers has started, is not used:
// it is one more image to pull, it needs the engine's socket, and it would end
// servers that are kept. A keeper does the same from outside of the engine.
func engineEnv() []string {
	var env []string
	for _, setting := range os.Environ() {
		name, _, _ := strings.Cut(setting, "=")
		switch {
		case strings.HasPrefix(name, "DOCKER_"), strings.HasPrefix(name, "TESTCONTAINERS_"),
			name == "XDG_RUNTIME_DIR", name == "XDG_CACHE_HOME", name == "DBUS_SESSION_BUS_ADDRESS":
			env = append(env, setting)
		}
	}
	return append(env, "TESTCONTAINERS_RYUK_DISABLED=true") // the last one counts
}

// engine returns the number of processors of the Docker engine.
func (o *owner) engine() (cpus int, err error) {
	e, err := o.ask(order{Engine: &engineOrder{}}, connected)
	if err != nil {
		return 0, fmt.Errorf("%w: %w", errNoEngine, err)
	}
	return e.CPUs, nil
}

// findImage reports whether the engine has the image. It is an error if neither
// the engine nor the image's registry has.
func (o *owner) findImage(name string) (local bool, err error) {
	e, err := o.ask(order{Image: &imageOrder{Name: name}}, imageHere, imageThere)
	if err != nil {
		return false, fmt.Errorf("%w %s: %w", errNoImage, name, err)
	}
	return e.Kind == imageHere, nil
}

// hangUp has the keeper give up what it is doing, and end.
func (o *owner) hangUp() {
	_ = o.orders.Close() // fails if it is closed or the keeper is gone: the same to us
}
