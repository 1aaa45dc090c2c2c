"""Any text given as a formula is rejected or becomes arithmetic: nothing else is compiled."""

import re
from random import Random

import pytest

import separatrix as sx
from separatrix.sums.formulas import choose
from separatrix.sums.tree import FUNCTIONS

# What is compiled: names of ours, calls of functions of arithmetic, literals, statements.
NAMES = {"x", "y", "b", "p", "d2", "i", "j", "real", "Index", "bool", "remainder", "infinity",
         "true", "false", "const", "return", "with_product", "Several", "decay",
         "real_power"}  # fmt: skip
WRITTEN = re.compile(
    r"(?:\s+|const (?:real|Index|bool) t[0-9]+ = |return (?:Several<real, [0-9]+>\{\{)?"
    r"|(?:\}\})?;\n?"
    r"|[A-Za-z_][A-Za-z0-9_]*|(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+)(?:[eE][+-]?[0-9]+)?"
    r"|\|\||&&|[=!<>]=|[-+*/%<>&|^!?:(),\[\]])*"
)
PIECES = (
    "x[0]", "y[1]", "dx[2]", "x", "dot(x,", "**", "x[0:2]", "concat(", "sum(", "where(", "t0",
    "b[0]", "p[0]", "d2", "i", "j", "exp(", "min(", "real(", ")", ",", "+",
    "-", "*", "/", "%", "?", ":", "<", "<=", "==", "&&", "||", "!", "&", "|", "^", "(", "[",
    "]",
    "1", "2.5", "1e5", "1e999", "0x10", "07", "08.5", "1.", ".5", "9" * 30, "\u0663", "\u0663.5",
    "\u0661e5", "\u00b2", "\uff11.0", "1'000", "=", "+=", "++", "--", "<<", "->", ";", "{", "}",
    "#",
    "\n", "\\", '"', "'", "//", "/*", "*/", "??/", "%:", "<%", "system", "asm", "__asm__", "sizeof",
    "this", "std::abs", "::", ".", "...", "goto", "throw", "new", "\x00", "\r", "\u2028", "\ufeff",
    "$", "@", "`", "_", "x0", "Index", "remainder", "Index(1)", "x[i]", "x[-1]", "x[9]", "x[0][0]",
    "L", "1f", "1u", "1.0L", "real", "exp", "\u0445", "e\u0301", "operator", "0b1", "\x1b",
    "__import__('os')", "os.system(1)", '#include "/etc/passwd"', "decltype(x)", "x->y", "x.y",
    "return", "float", "t1", "decay(1,2)", "infinity(0)", "nan", "None", "clamp(x,0)", "norm",
    "concat()", "where(x,y,d2)", "x[2:1]", "x[99]", "1e-400", "1_0", "1e", "%>", ":>", "\u200b",
)  # fmt: skip


def is_arithmetic(text: str) -> bool:
    """Whether a C++ text contains only what the tree of a formula can generate."""
    words = set(
        re.findall(r"[A-Za-z_][A-Za-z0-9_]*", re.sub(r"[0-9.]+[eE][+-]?[0-9]+|\bt\d+", "", text))
    )
    return bool(WRITTEN.fullmatch(text)) and text.isascii() and words <= NAMES | set(FUNCTIONS)


def check(text: str) -> bool:
    """Whether a text is accepted; otherwise its error has one line."""
    try:
        written = choose(text, (1.0,), {}, 3, 1).code
    except sx.InputError as error:
        return "\n" in str(error) and pytest.fail(f"{text!r} is refused in several lines")
    assert is_arithmetic(written), (text, written)
    return True


@pytest.mark.parametrize(
    "text",
    ["\u0663.5", "1 + \u0661e5", "x[\u0660]", "\uff11.0", "\u0663"],
)
def test_digits_of_other_scripts_are_not_numbers(text):
    with pytest.raises(sx.InputError):
        choose(text, (), {}, 3, None)


def test_a_random_text_is_rejected_or_compiled_to_arithmetic():
    random, taken = Random(1), 0
    for _ in range(6000):
        taken += check("".join(random.choices(PIECES, k=random.randrange(1, 9))))
    for _ in range(3000):
        valid = list("exp(-d2 * p[0]) + (x[0] < y[1] ? b[0] : min(2, i % 3)) / 1.5e2")
        for _ in range(random.randrange(1, 4)):
            valid[random.randrange(len(valid))] = random.choice(PIECES)
        taken += check("".join(valid))
    for _ in range(3000):
        check("".join(chr(random.randrange(1, 0x3000)) for _ in range(random.randrange(1, 12))))
    assert taken > 100


def test_deep_and_long_texts_are_rejected_immediately():
    for text in ("(" * 1999, "-" * 1999, "1?" * 900, "exp(" * 499, "1+" * 5000, "[" * 10**6):
        assert not check(text)
    assert check("+".join(["1"] * 1000))
