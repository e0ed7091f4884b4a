/* The C modules that the sandbox's Python can import; as for the agent (../native/inittab.c), this
 * table stands in for libpython's own. There is no _socket and no select in it, so nothing that
 * reaches for a network is even linked, and none of CPython's modules for its own tests.
 */

#include <Python.h>

#define MODULES(X) \
    X(_abc) X(_bisect) X(_blake2) X(_codecs) X(_codecs_cn) X(_codecs_hk) X(_codecs_iso2022) \
    X(_codecs_jp) X(_codecs_kr) X(_codecs_tw) X(_collections) X(_contextvars) X(_csv) X(_datetime) \
    X(_decimal) X(_elementtree) X(_functools) X(_heapq) X(_host) X(_io) X(_json) X(_locale) \
    X(_lsprof) X(_md5) X(_multibytecodec) X(_opcode) X(_operator) X(_pickle) X(_queue) X(_random) \
    X(_sha1) X(_sha256) X(_sha3) X(_sha512) X(_signal) X(_sre) X(_stat) X(_statistics) X(_struct) \
    X(_symtable) X(_thread) X(_tracemalloc) X(_typing) X(_weakref) X(_zoneinfo) X(array) X(atexit) \
    X(audioop) X(binascii) X(cmath) X(errno) X(itertools) X(math) X(posix) X(pyexpat) X(time) \
    X(unicodedata)

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
