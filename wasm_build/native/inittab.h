/* The table of the C modules that a Python can import, in place of the one that libpython brings.
 *
 * Whoever includes this has defined MODULES(X) as X(name) for each module of its own; what every
 * interpreter needs to start is added here. As the table is linked first, libpython's config.o is
 * never taken from the archive, nor what only that mentions.
 */

#include <Python.h>

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
