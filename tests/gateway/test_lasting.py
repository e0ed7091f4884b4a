"""What is made before stays out of collections; what circles afterwards is still found."""

import gc
from weakref import ref

from gateway.lasting import lasting


class Circle:
    """Holds itself: only a collection can find that nobody else does."""

    def __init__(self) -> None:
        self.itself = self


def test_what_is_there_already_is_looked_at_no_more_until_the_end() -> None:
    before = gc.get_freeze_count()
    made = Circle()
    circle = ref(made)
    with lasting():
        assert gc.get_freeze_count() > before
        del made
        gc.collect()
        assert circle() is not None
    assert gc.get_freeze_count() == before
    gc.collect()
    assert circle() is None


def test_what_circles_afterwards_is_found() -> None:
    with lasting():
        circle = ref(Circle())
        gc.collect()
        assert circle() is None
