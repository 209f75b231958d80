"""The prior machine: what it reads, what it refuses, and that it says what the gallery says."""

import re
import signal
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import sympy as sp

from pwu_book import gallery, machine

p = sp.Symbol("p", positive=True)


@pytest.mark.parametrize("text", ["2*p^2 - 0.1", "-log(1 - p)", "max(p, 1 - p)", "1 if p < 1/2 else sqrt(p)",
                                  "Piecewise((1, p <= 1/2), (0, True))", "Rational(3, 10)", "--p", "1e-3*p", "\u2212p"])
def test_a_formula_is_read_exactly(text):
    value = machine.parse(text, {"p": p})
    by_hand = {"2*p^2 - 0.1": 2 * p**2 - sp.Rational(1, 10), "1e-3*p": p / 1000, "\u2212p": -p, "--p": p,
               "Rational(3, 10)": sp.Rational(3, 10), "-log(1 - p)": -sp.log(1 - p), "max(p, 1 - p)": sp.Max(p, 1 - p),
               "1 if p < 1/2 else sqrt(p)": sp.Piecewise((1, p < sp.Rational(1, 2)), (sp.sqrt(p), True)),
               "Piecewise((1, p <= 1/2), (0, True))": sp.Piecewise((1, p <= sp.Rational(1, 2)), (0, True))}
    assert value == by_hand[text] and not value.atoms(sp.Float)


@pytest.mark.parametrize(("text", "said"), [
    ("2p", "2\\*p for two p"), ("p p", "is not a formula"), ("", "is not a formula"), ("log(p", "never closed"),
    ("p; p", "is not a formula"), ("x", "not known here"), ("p.diff()", "not read here"), ("p[0]", "not read here"),
    ("__import__('os')", "not read here"), ("alert(1)", "not read here"), ("1/0", "division by zero"),
    ("p**1000", "at most 100"), ("'p'", "not read here"), ("-(p < 1)", "not a formula"), ("(" * 500, "a formula"),
    ("log(p, base=2)", "not read here"), ("lambda: p", "not read here"), ("[p]", "not read here")])
def test_what_is_no_formula_is_refused_and_never_run(text, said):
    with pytest.raises(ValueError, match=said):
        machine.parse(text, {"p": p})


@pytest.mark.parametrize(("losses", "density"), [
    (("(1 - p)^2", "p**2"), 2), (("-log(p)", "-log(1-p)"), 1 / (p * (1 - p))),
    (("1/3*(1-p)^2", "p^2/3"), sp.Rational(2, 3)),
    (("sqrt((1-p)/p)", "sqrt(p/(1-p))"), sp.Rational(1, 2) * (p * (1 - p)) ** sp.Rational(-3, 2))])
def test_the_prior_of_a_reader_s_own_score(losses, density):
    answer = machine.tell(*losses)
    assert answer.aligned and sp.simplify(answer.prior.density.subs(answer.prior.symbol, p) - density) == 0
    assert answer.steps[-1].rhs == answer.prior.density and "<svg" in answer.drawing


@pytest.mark.parametrize("losses", [("1 - p", "p"), ("abs(1-p)", "--p"), ("-(1-p)^2", "-p^2"), ("-log(p)", "p"),
                                    ("max(0.2 - p, 0)*4 + (1 - p)^2", "p^2 + max(0, p - .2)"), ("e^2",),
                                    ("sqrt(v)*e",)])
def test_a_score_that_believes_nothing_is_refused_with_its_proof(losses):
    answer = machine.tell(*losses)
    assert not answer.aligned and "although the first costs every reader as much or more" in answer.said
    assert "<b>It believes nothing.</b>" in answer._repr_html_()


@pytest.mark.parametrize(("text", "digits"), [
    ("0.1234567890123456789", "1234567890123456789/10000000000000000000"), ("1e-249", "1/1" + "0" * 249),
    ("1_000.5", "2001/2"), ("1.5E2", "150"), (".1", "1/10"), ("2.", "2"), ("0x1F", "31")])
def test_the_digits_of_a_number_are_kept(text, digits):
    assert str(machine.parse(text, {"p": p})) == digits


@pytest.mark.parametrize(("text", "said"), [
    ("((((9^99)^99)^99)^99)^99", "at most 250 digits"), ("((p^99)^99)^99", "at most 100"),
    ("((p + 1)^99)^99", "at most 100"), ("1e999999999", "at most 250 digits"), ("1e-400", "at most 250 digits"),
    ("9^99*9^99*9^99", "at most 250 digits"), ("log(p, 0)", "base of a logarithm"), ("log(p, 1)", "base of"),
    ("2^0.5^-99", "digits|power")])
def test_towers_and_long_numbers_are_refused_at_once(text, said):
    with pytest.raises(ValueError, match=said):
        machine.parse(text, {"p": p})


SPHERICAL = ("1-p/sqrt(p^2+(1-p)^2)", "1-(1-p)/sqrt(p^2+(1-p)^2)")


def test_the_spherical_score_is_known_multiplied_out():
    """As most people type it, a cosine: the same prior as with the squares."""
    squares = machine.tell(*SPHERICAL)
    cosine = machine.tell("1-p/sqrt(2*p^2-2*p+1)", "1-(1-p)/sqrt(2*p^2-2*p+1)")
    assert cosine.aligned and cosine.said == squares.said
    assert sp.simplify(cosine.prior.density / squares.prior.density) == 1


@pytest.mark.slow
@pytest.mark.parametrize(("one", "zero", "mass"), [
    ("1-p^2/(p^3+(1-p)^3)^(2/3)", "1-(1-p)^2/(p^3+(1-p)^3)^(2/3)", 2),
    ("1-p^(1/2)/(p^(3/2)+(1-p)^(3/2))^(1/3)", "1-(1-p)^(1/2)/(p^(3/2)+(1-p)^(3/2))^(1/3)", 2)])
def test_the_spherical_family_has_a_finite_weight(one, zero, mass):
    answer = machine.tell(one, zero)
    assert answer.aligned and answer.prior.mass == mass
    assert f"The whole weight is {machine._math(sp.Integer(mass))}." in answer._repr_html_()


@pytest.mark.parametrize(("one", "zero"), [("p^p", "(1-p)^(1-p)"), ("exp(p*log(p))", "exp((1-p)*log(1-p))"),
                                           ("exp(exp(exp(p)))", "exp(p^p)")])
def test_powers_of_the_forecast_end(one, zero):
    assert not machine.tell(one, zero).aligned


def test_the_machine_gives_up_in_time(monkeypatch):
    """By a signal, and in a thread (or a browser) at the next call of a function; nothing is left behind."""
    monkeypatch.setattr(machine, "LONGEST", 0.05)
    watched, handler = sys.gettrace(), signal.getsignal(signal.SIGALRM)

    def give_up():
        started = time.monotonic()
        with pytest.raises(ValueError, match="no answer within"):
            machine.tell("1-p^3.7/(p^4.7+(1-p)^4.7)^(3.7/4.7)", "1-(1-p)^3.7/(p^4.7+(1-p)^4.7)^(3.7/4.7)")
        return time.monotonic() - started

    assert give_up() < 2
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(give_up).result() < 2
    assert sys.gettrace() is watched and signal.getsignal(signal.SIGALRM) is handler
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0


def test_a_score_without_a_decidable_prior_is_an_error():
    with pytest.raises(ValueError, match="real"):
        machine.tell("log(p - 1)", "p")


@pytest.mark.parametrize("card", [card for card in gallery.CARDS if "Open in the machine" in gallery._open(card)
                                  and card.verdict != gallery.NOT], ids=lambda card: card.key)
def test_a_card_opens_as_it_stands(card, monkeypatch):
    monkeypatch.setattr(machine, "LONGEST", 60.0)  # on a machine that does other work, too
    answer = machine.tell(*card.evidence)
    assert answer.aligned
    if card.axis != "answers":  # for answers the same weight is said in other words
        assert answer.said == card.belief


def test_the_answer_is_text_that_a_page_can_hold():
    html = machine.tell("1 - p + 0*p", "p")._repr_html_()
    assert "&#x27;" in html and not re.search(r"<(?!/?(div|p|b)\b)", html)
