"""Nuitka's functions get the number of arguments with which Python calls them."""

from wasm_build.signatures import with_true_signatures

WRONG = """\
static PyObject *Thing_get_name(struct Thing *self) {
    return self->name;
}

static int Thing_set_name(struct Thing *self, PyObject *value) {
    return 0;
}

static PyObject *Thing_close(struct Thing *self) {
    return NULL;
}

static PyGetSetDef Thing_getset[] = {
    {(char *)"name", (getter)Thing_get_name, (setter)Thing_set_name, NULL},
    {(char *)"alias", (getter)Thing_get_name, NULL, NULL},
    {NULL},
};

static PyMethodDef Thing_methods[] = {
    {"close", (PyCFunction)Thing_close, METH_NOARGS, NULL},
    {NULL},
};
"""
RIGHT = """\
static PyObject *Thing_get_name(struct Thing *self, void *closure) {
    return self->name;
}

static PyObject *Thing_send(struct Thing *self, PyObject *value) {
    return NULL;
}

static PyGetSetDef Thing_getset[] = {{(char *)"name", (getter)Thing_get_name, NULL, NULL}};
static PyMethodDef Thing_methods[] = {{"send", (PyCFunction)Thing_send, METH_O, NULL}};
"""


def test_each_wrong_function_gets_one_adapter_and_the_tables_name_it() -> None:
    mended = with_true_signatures(WRONG)
    assert mended.count("Thing_get_name_as_getter(PyObject *self, void *closure) {") == 1
    assert mended.count("(getter)Thing_get_name_as_getter,") == 2
    assert "(setter)Thing_set_name_as_setter," in mended
    assert "return Thing_set_name((void *)self, value);" in mended
    assert '{"close", (PyCFunction)Thing_close_as_method, METH_NOARGS, NULL}' in mended


def test_an_adapter_stands_after_its_function_and_before_the_table() -> None:
    mended = with_true_signatures(WRONG)
    function = mended.index("static PyObject *Thing_get_name(struct")
    adapter = mended.index("static PyObject *Thing_get_name_as_getter(")
    assert function < adapter < mended.index("PyGetSetDef")


def test_a_function_chosen_by_the_preprocessor_gets_an_adapter_beside_each_definition() -> None:
    either = "static PyObject *Thing_get_name(struct Thing *self) {\n    return NULL;\n}\n"
    table = 'static PyGetSetDef T[] = {{"name", (getter)Thing_get_name, NULL}};\n'
    mended = with_true_signatures(f"#if A\n{either}#else\n{either}#endif\n{table}")
    first, _, second = mended.partition("#else")
    assert first.count("_as_getter(") == 1
    assert second.partition("#endif")[0].count("_as_getter(") == 1


def test_functions_that_are_right_stay_as_they_are() -> None:
    assert with_true_signatures(RIGHT) == RIGHT


def test_mending_twice_is_mending_once() -> None:
    mended = with_true_signatures(WRONG)
    assert with_true_signatures(mended) == mended
