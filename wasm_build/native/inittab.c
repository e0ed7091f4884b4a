/* The C modules that the agent's Python can import.
 *
 * Without libpython's own table (see inittab.h) the CJK codecs, decimal, expat, sockets and
 * CPython's own tests stay out of the binary: a third of the data.
 * A module that agent_core needs and that is not here fails the build when the snapshot is made.
 */

#define MODULES(X) \
    X(_abc) X(_bisect) X(_codecs) X(_collections) X(_contextvars) X(_datetime) X(_functools) \
    X(_heapq) X(_io) X(_json) X(_locale) X(_opcode) X(_operator) X(_signal) X(_sre) X(_stat) \
    X(_struct) X(_thread) X(_tracemalloc) X(_typing) X(_weakref) X(atexit) X(binascii) X(errno) \
    X(itertools) X(math) X(posix) X(time)

#include "inittab.h"
