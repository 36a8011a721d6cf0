package zookeeper

import "unsafe"

// buckets is the number of znodes over which the rows are spread. It is part of
// where rows are found, so it never changes. With keys of 256 bytes the list of
// a bucket's children fits into a packet up to four million rows.
const buckets = 1024

// appendBucket appends the path of a bucket, "<root>/<three hexadecimal digits>".
func appendBucket(buf []byte, root string, n uint32) []byte {
	const digits = "0123456789abcdef"
	buf = append(buf, root...)
	return append(buf, '/', digits[n>>8&15], digits[n>>4&15], digits[n&15])
}

// bucketOf returns the bucket of a key: 32-bit FNV-1a, folded to ten bits.
func bucketOf(key []byte) uint32 {
	h := uint32(2166136261)
	for _, b := range key {
		h = (h ^ uint32(b)) * 16777619
	}
	return (h ^ h>>10 ^ h>>20) % buckets
}

// appendPath appends the path of a row, "<root>/<bucket>/<key>".
func appendPath(buf []byte, root string, key []byte) []byte {
	buf = append(appendBucket(buf, root, bucketOf(key)), '/')
	return append(buf, key...)
}

// text views b as a string without a copy. The library has encoded it when its
// calls return, or has ended (see link.end), so b may change after that.
func text(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
