# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Files and functions stay short; the measure itself is tested on known text."""

import textwrap
from pathlib import Path

import pytest

import check_sizes
from check_sizes import file_findings, function_findings
from functions import cpp_functions, python_functions

CPP = r"""
// SPDX header { not a function(
#define MACRO(x) void x() { \
  return; }
namespace anystream::core {

enum class kind : int { one, two };

constexpr int table[] = {1, 2, 3};
const char* text = "{ not code (";

template <class T = std::vector<int>>
class thing final : public base {
 public:
  explicit thing(int a, options o = {}) : base(a), first_{a}, second_(o) {
    check(a);

    // a comment is no code
    start();
  }
  bool operator==(const thing&) const = default;
  bool operator<(const thing& other) const noexcept { return a_ < other.a_; }

 private:
  int a_{3};
};

auto pick(int x) -> int {
  switch (x) {
    case '{':
      return 1;
  }
  auto inner = [&](int y) {
    return y;
  };
  return inner(x);
}

constexpr auto lambda = [](int x) {
  return x;
};

}  // namespace anystream::core
extern "C" {
int c_function(void) { return 0; }
}
"""

PYTHON = '''
def documented(x: int) -> int:
    """Say what it does.

    At length.
    """
    # why
    y = x + (
        1
    )

    return y


class Thing:
    async def method(self) -> None:
        pass
'''


def test_the_tree_is_short_enough() -> None:
    assert [str(finding) for finding in check_sizes.findings()] == []


def test_cpp_functions_are_measured() -> None:
    assert [(f.name, f.lines) for f in cpp_functions(CPP)] == [
        ("thing", 2),
        ("operator<", 1),
        ("pick", 8),
        ("lambda", 1),
        ("c_function", 1),
    ]


def test_cpp_functions_know_their_line() -> None:
    lines = CPP.splitlines()
    for function in cpp_functions(CPP):
        assert function.name.split("<")[0] in lines[function.line - 1]


def test_python_functions_are_measured() -> None:
    measured = [(f.line, f.name, f.lines) for f in python_functions(PYTHON)]
    assert measured == [(2, "documented", 4), (16, "method", 1)]


@pytest.mark.parametrize(("lines", "wrong"), [(50, False), (51, True)])
def test_a_long_function_is_found(lines: int, wrong: bool) -> None:
    cpp = "void f() {\n" + "  g();\n" * lines + "}\n"
    python = "def f() -> None:\n" + "    g()\n" * lines
    assert bool(function_findings(Path("src/a.cpp"), cpp)) is wrong
    assert bool(function_findings(Path("tools/a.py"), python)) is wrong


@pytest.mark.parametrize(
    ("name", "lines", "wrong"),
    [
        ("src/a.cpp", 500, False),
        ("src/a.cpp", 501, True),
        ("tests/cpp/a_test.cpp", 400, False),
        ("tests/cpp/a_test.cpp", 401, True),
        ("include/anystream/c_api.h", 900, False),
    ],
)
def test_a_long_file_is_found(name: str, lines: int, wrong: bool) -> None:
    assert bool(file_findings(Path(name), "x\n" * lines)) is wrong


def test_the_spread_is_of_bodies() -> None:
    text = textwrap.dedent("""
        def a():
            one()
        def b():
            one()
            two()
        def c():
            one()
            two()
            three()
    """)
    median, _ = check_sizes.spread({Path("python/a.py"): text, Path("tests/a.py"): PYTHON})
    assert median == 2
