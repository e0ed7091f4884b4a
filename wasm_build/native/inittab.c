/* The C modules that the agent's Python can import.
 *
 * libpython brings a table of its own in config.o; because this one is linked first, that one is
 * never taken from the archive, and everything that only it mentions (the CJK codecs, decimal,
 * expat, sockets, CPython's own tests: a third of the data) stays out of the binary.
 * A module that agent_core needs and that is not here fails the build when the snapshot is made.
 */

#include <Python.h>

#define MODULES(X) \
    X(_abc) X(_bisect) X(_codecs) X(_collections) X(_contextvars) X(_datetime) X(_functools) \
    X(_heapq) X(_io) X(_json) X(_locale) X(_opcode) X(_operator) X(_signal) X(_sre) X(_stat) \
    X(_struct) X(_thread) X(_tracemalloc) X(_typing) X(_weakref) X(atexit) X(binascii) X(errno) \
    X(itertools) X(math) X(posix) X(time)

#define DECLARE(name) extern PyObject *PyInit_##name(void);
MODULES(DECLARE)

extern PyObject *PyInit_gc(void);
extern PyObject *PyInit__ast(void);
extern PyObject *PyInit__imp(void);
extern PyObject *PyInit__string(void);
extern PyObject *PyInit__tokenize(void);
extern PyObject *PyMarshal_Init(void);
extern PyObject *_PyWarnings_Init(void);

#define ENTRY(name) {#name, PyInit_##name},
struct _inittab _PyImport_Inittab[] = {
    MODULES(ENTRY)
    {"gc", PyInit_gc},
    {"_ast", PyInit__ast},
    {"_imp", PyInit__imp},
    {"_string", PyInit__string},
    {"_tokenize", PyInit__tokenize},
    {"_warnings", _PyWarnings_Init},
    {"marshal", PyMarshal_Init},
    /* Made by the interpreter itself before any import. */
    {"builtins", NULL},
    {"sys", NULL},
    {NULL, NULL},
};
