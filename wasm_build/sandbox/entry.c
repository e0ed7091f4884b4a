/* The functions by which a host runs Python code in the sandbox, over CPython's own library.
 *
 *   sandbox_alloc(n)     room for n bytes of source code; 0 if there is no memory
 *   sandbox_run(p, n)    runs them as a program of its own; the exit code that it ended with
 *   sandbox_postmortem() after a trap: where the program was, and what its buffers still held
 *
 * sandbox_boot is called when the snapshot is made, and is not exported by it. What the program
 * finds around it is boot.py's; what it may ask of the system is decided in guards.c.
 */

#include <Python.h>
#include <stdint.h>

#define EXPORT(name) __attribute__((export_name(#name)))
#define HOST(name) __attribute__((import_module("hermes"), import_name(#name)))

HOST(tool_call) int32_t host_tool_call(const char *request, uint32_t size);
HOST(tool_answer) void host_tool_answer(char *room);

void seal_heap(void); /* ../native/heap.c */
void _Py_DumpTraceback(int fd, PyThreadState *state); /* pycore_traceback.h */

static PyObject *run;

/* _host.call(request: bytes) -> bytes: one call of a tool, which the host carries out. */
static PyObject *host_call(PyObject *Py_UNUSED(module), PyObject *request)
{
    char *text;
    Py_ssize_t size;
    if (PyBytes_AsStringAndSize(request, &text, &size) < 0) {
        return NULL;
    }
    int32_t length = host_tool_call(text, (uint32_t)size);
    if (length < 0) {
        PyErr_SetString(PyExc_RuntimeError, "tools can't be called from here");
        return NULL;
    }
    PyObject *answer = PyBytes_FromStringAndSize(NULL, length);
    if (answer) {
        host_tool_answer(PyBytes_AS_STRING(answer));
    }
    return answer;
}

static PyMethodDef host_methods[] = {
    {"call", host_call, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef host_module = {
    PyModuleDef_HEAD_INIT, "_host", NULL, -1, host_methods, NULL, NULL, NULL, NULL,
};

PyObject *PyInit__host(void) { return PyModule_Create(&host_module); }

static int start_python(void)
{
    PyPreConfig pre;
    PyPreConfig_InitIsolatedConfig(&pre);
    pre.utf8_mode = 1;
    if (PyStatus_Exception(Py_PreInitialize(&pre))) {
        return 0;
    }
    PyConfig config;
    PyConfig_InitIsolatedConfig(&config);
    config.site_import = 0;
    config.write_bytecode = 0;
    config.install_signal_handlers = 0;
    config.use_hash_seed = 1; /* the snapshot is the same for the same sources */
    config.hash_seed = 0;
    config.module_search_paths_set = 1;
    PyStatus status = PyWideStringList_Append(&config.module_search_paths, L"/workspace");
    const struct { wchar_t **field; const wchar_t *value; } words[] = {
        {&config.program_name, L"python3"},
        {&config.executable, L""},
        {&config.prefix, L""},
        {&config.exec_prefix, L""},
        {&config.base_prefix, L""},
        {&config.base_exec_prefix, L""},
        {&config.stdlib_dir, L""},
        {&config.stdio_encoding, L"utf-8"},
        {&config.stdio_errors, L"backslashreplace"},
    };
    for (size_t i = 0; !PyStatus_Exception(status) && i < sizeof words / sizeof *words; i++) {
        status = PyConfig_SetString(&config, words[i].field, words[i].value);
    }
    if (!PyStatus_Exception(status)) {
        status = Py_InitializeFromConfig(&config);
    }
    PyConfig_Clear(&config);
    if (PyStatus_Exception(status)) {
        fprintf(stderr, "Python does not start: %s\n", status.err_msg);
        return 0;
    }
    return 1;
}

/* The module, after its function has been called. */
static PyObject *after_call(const char *name, const char *function)
{
    PyObject *module = PyImport_ImportModule(name);
    PyObject *done = module ? PyObject_CallMethod(module, function, NULL) : NULL;
    if (!done) {
        Py_CLEAR(module);
    }
    Py_XDECREF(done);
    return module;
}

/* 1 if Python is up, with the standard library around it, and boot.py has prepared it. */
EXPORT(sandbox_boot) int32_t sandbox_boot(void)
{
    if (!start_python()) {
        return 0;
    }
    PyObject *library = after_call("library", "install");
    PyObject *boot = library ? after_call("boot", "prepare") : NULL;
    run = boot ? PyObject_GetAttrString(boot, "run") : NULL;
    if (!run) {
        PyErr_Print();
        return 0;
    }
    Py_DECREF(library);
    Py_DECREF(boot);
    seal_heap();
    return 1;
}

EXPORT(sandbox_alloc) void *sandbox_alloc(uint32_t size)
{
    return PyMem_Malloc(size ? size : 1);
}

EXPORT(sandbox_run) int32_t sandbox_run(char *source, uint32_t size)
{
    PyObject *code = PyBytes_FromStringAndSize(source, (Py_ssize_t)size);
    PyMem_Free(source);
    PyObject *ended = code ? PyObject_CallOneArg(run, code) : NULL;
    Py_XDECREF(code);
    long status = ended ? PyLong_AsLong(ended) : -1;
    Py_XDECREF(ended);
    if (PyErr_Occurred()) {
        PyErr_Print();
        status = 1;
    }
    return (int32_t)status;
}

static void flush(const char *name)
{
    PyObject *stream = PySys_GetObject(name);
    PyObject *done = stream ? PyObject_CallMethod(stream, "flush", NULL) : NULL;
    Py_XDECREF(done);
    PyErr_Clear();
}

EXPORT(sandbox_postmortem) void sandbox_postmortem(void)
{
    PyThreadState *state = PyGILState_GetThisThreadState();
    if (!PyGILState_Check()) {
        PyEval_RestoreThread(state); /* it was within a call that lets other threads run */
    }
    PyErr_Clear();
    flush("stdout");
    flush("stderr");
    _Py_DumpTraceback(2, state);
}
