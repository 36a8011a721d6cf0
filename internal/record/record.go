package record

// A Recorder placeholder until the engine lands.
type Recorder struct{}
