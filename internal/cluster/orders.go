package cluster

// The language between a process that wants servers and their keeper: JSON
// values, orders on the keeper's standard input and events on its standard
// output. Each order has one answer; deaths are told when they happen. The end
// of the input is the order to stop everything, whoever or whatever closed it,
// unless the keeper was told to stay.

// An order is exactly one of its fields.
type order struct {
	Dir   *dirOrder   `json:",omitempty"`
	Start *startOrder `json:",omitempty"`
	Hold  *holdOrder  `json:",omitempty"`
	Stay  *stayOrder  `json:",omitempty"`

	Engine    *engineOrder    `json:",omitempty"`
	Image     *imageOrder     `json:",omitempty"`
	Network   *networkOrder   `json:",omitempty"`
	Container *containerOrder `json:",omitempty"`
	Sweep     *sweepOrder     `json:",omitempty"`
}

// A dirOrder asks for a new temporary directory, which the keeper removes when
// it ends. The keeper makes it so that there is no moment at which nobody would.
type dirOrder struct {
	Parent  string
	Pattern string // see os.MkdirTemp
}

// A startOrder asks for a server process.
type startOrder struct {
	Name    string // for people: "etcd node 1"
	Argv    []string
	Env     []string // the whole environment
	Dir     string   // working directory
	LogFile string   // receives standard output and error
}

// A holdOrder asks the keeper to share a lock on a file as long as it lives. It is
// refused if somebody has the lock alone.
type holdOrder struct {
	File string // made if need be
}

// A stayOrder tells the keeper to go on when its input ends (see kept_keeper.go).
type stayOrder struct {
	Dir   string // to be made, and removed with the servers
	State []byte // for a file in it
}

// An event is what the keeper tells.
type event struct {
	Kind    eventKind
	Text    string
	PID     int    `json:",omitempty"` // of the server that the event is about, if it is about one
	LogFile string `json:",omitempty"` // of that server

	Container *containerStarted `json:",omitempty"`
	CPUs      int               `json:",omitempty"` // processors of the engine
}

type eventKind string

const (
	hello   eventKind = "keeper" // first of all: Text is protocol
	made    eventKind = "made"   // answer: Text is the directory
	started eventKind = "started"
	holding eventKind = "holding" // answer: the lock is held
	staying eventKind = "staying" // answer: the keeper goes on without its owner

	connected  eventKind = "connected"         // answer: a Docker engine is there
	imageHere  eventKind = "image"             // answer: the engine has the image
	swept      eventKind = "swept"             // answer: what was left of earlier keepers is removed
	imageThere eventKind = "image in registry" // answer: it can be pulled
	failed     eventKind = "failed"            // answer: the order could not be followed, Text says why
	exited     eventKind = "exited"            // a server ended by itself: Text is a sentence
	trouble    eventKind = "trouble"           // something about stopping is not as it should be: Text is a sentence
)

// protocol tells a keeper from a program that only looks like one, such as a
// test binary whose TestMain forgets to call Keep.
const protocol = "kvbench keeper 1"
