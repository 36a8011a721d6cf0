// Package images holds what makes the suite's own container images: a directory
// per system with its Dockerfile, and below files what the image has beside the
// server. They are in the program that builds them, which needs no source tree.
//
// The images do for the suite what the official ones do: the same ports, volumes,
// user, entry point, command and variables, as far as the suite or a person who
// tries one out uses them. Nothing of the official images is in them.
package images

import "embed"

// Files are all files of this directory: <system>/Dockerfile, <system>/files/….
//
//go:embed */*
var Files embed.FS
