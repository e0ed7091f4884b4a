/* The two functions by which a host drives an agent, over the embedded CPython.
 *
 *   agent_alloc(n)      room for n bytes of input; 0 if there is no memory
 *   agent_step(p, n)    feeds them, takes the room back, answers (length << 32) | address;
 *                       0 if the step failed, with the traceback on stderr
 *
 * An answer stays readable until the next call of either function. agent_prepare and
 * agent_rehearse are called when the snapshot is made, and are not exported by it.
 */

#include <Python.h>
#include <stdint.h>

#define EXPORT(name) __attribute__((export_name(#name)))

void seal_heap(void); /* heap.c */

static PyObject *step;
static PyObject *answer;

EXPORT(agent_alloc) void *agent_alloc(uint32_t size)
{
    Py_CLEAR(answer);
    return PyMem_Malloc(size ? size : 1);
}

EXPORT(agent_step) uint64_t agent_step(char *input, uint32_t size)
{
    Py_CLEAR(answer);
    PyObject *lines = PyBytes_FromStringAndSize(input, (Py_ssize_t)size);
    PyMem_Free(input);
    if (lines) {
        answer = PyObject_CallOneArg(step, lines);
        Py_DECREF(lines);
    }
    if (answer && !PyBytes_Check(answer)) {
        PyErr_Format(PyExc_TypeError, "step() gave %s, not bytes", Py_TYPE(answer)->tp_name);
        Py_CLEAR(answer);
    }
    if (!answer) {
        PyErr_Print();
        return 0;
    }
    uint64_t length = (uint64_t)PyBytes_GET_SIZE(answer);
    return length << 32 | (uint32_t)(uintptr_t)PyBytes_AS_STRING(answer);
}

/* Called after start-up has stopped in os._exit. 1 if the agent's step function was found. */
EXPORT(agent_prepare) int32_t agent_prepare(void)
{
    PyObject *main = PyImport_AddModule("__main__");
    step = main ? PyObject_GetAttrString(main, "step") : NULL;
    if (!step) {
        PyErr_Print();
        return 0;
    }
    seal_heap();
    return 1;
}

/* Plays one of the conversations of staged/hermes_agent.py. 1 if it went well. */
EXPORT(agent_rehearse) int32_t agent_rehearse(int32_t which)
{
    PyObject *main = PyImport_AddModule("__main__");
    PyObject *done = main ? PyObject_CallMethod(main, "rehearse", "i", (int)which) : NULL;
    if (!done) {
        PyErr_Print();
        return 0;
    }
    Py_DECREF(done);
    return 1;
}
