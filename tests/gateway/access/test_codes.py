"""One-time codes: what they look like, what is kept of them, and what passes for one."""

from hypothesis import given
from hypothesis import strategies as st

from gateway.access import codes
from gateway.access.pairing import as_typed

TEXTS = st.text(max_size=40) | st.text(alphabet=codes.ALPHABET + "-", max_size=20)


def test_codes_are_of_the_alphabet_and_never_the_same() -> None:
    pairing = {codes.new_pairing_code() for _ in range(500)}
    claims = {codes.new_claim_code() for _ in range(500)}
    assert (len(pairing), len(claims)) == (500, 500)
    assert {len(code) for code in pairing} == {8}
    assert set("".join(pairing)) == set(codes.ALPHABET)
    assert all(codes.has_claim_shape(code) for code in claims)
    assert not any(codes.has_claim_shape(code) for code in pairing)
    assert not set("IO01") & set(codes.ALPHABET)


def test_the_same_code_is_kept_differently_each_time() -> None:
    code = codes.new_pairing_code()
    kept = [codes.digest_of(code) for _ in range(20)]
    assert len({one.salt for one in kept}) == len({one.digest for one in kept}) == 20
    assert all(codes.matches(code, one) for one in kept)
    assert not any(code.encode() in one.salt + one.digest for one in kept)


@given(TEXTS, TEXTS)
def test_exactly_the_code_matches(code: str, other: str) -> None:
    kept = codes.digest_of(code)
    assert codes.matches(code, kept)
    written = [text.encode("utf-8", "replace") for text in (code, other)]
    assert codes.matches(other, kept) == (written[0] == written[1])


@given(TEXTS)
def test_no_other_text_is_taken_for_an_ownership_code(text: str) -> None:
    groups = text.strip().split("-")
    is_code = [len(group) for group in groups] == [4, 4, 4] and set("".join(groups)) <= set(
        codes.ALPHABET
    )
    assert codes.has_claim_shape(text) == is_code


@given(st.text(alphabet=codes.ALPHABET, min_size=8, max_size=8), st.integers(0, 8))
def test_a_pairing_code_may_be_typed_in_lower_case_and_with_a_blank(code: str, at: int) -> None:
    assert as_typed(f" {code[:at].lower()} {code[at:]}\n") == code
