/* The C modules that the sandbox's Python can import. There is no _socket and no select among them,
 * so nothing that reaches for a network is even linked, and none of CPython's own tests.
 */

#define MODULES(X) \
    X(_abc) X(_bisect) X(_blake2) X(_codecs) X(_codecs_cn) X(_codecs_hk) X(_codecs_iso2022) \
    X(_codecs_jp) X(_codecs_kr) X(_codecs_tw) X(_collections) X(_contextvars) X(_csv) X(_datetime) \
    X(_decimal) X(_elementtree) X(_functools) X(_heapq) X(_host) X(_io) X(_json) X(_locale) \
    X(_lsprof) X(_md5) X(_multibytecodec) X(_opcode) X(_operator) X(_pickle) X(_queue) X(_random) \
    X(_sha1) X(_sha256) X(_sha3) X(_sha512) X(_signal) X(_sre) X(_stat) X(_statistics) X(_struct) \
    X(_symtable) X(_thread) X(_tracemalloc) X(_typing) X(_weakref) X(_zoneinfo) X(array) X(atexit) \
    X(audioop) X(binascii) X(cmath) X(errno) X(itertools) X(math) X(posix) X(pyexpat) X(time) \
    X(unicodedata)

#include "../native/inittab.h"
