import type { Edit } from '../facts.ts'

/** Ordinary work in Python, Go, Rust, Java and shell. Nothing here may be refused. */
export const OTHERS: Record<string, Edit> = {
  'Python: a new class with its tests': {
    'shop/stock.py': [
      null,
      `"""Stock of a shop. Skips nothing."""
from __future__ import annotations

from dataclasses import dataclass, field


class OutOfStock(Exception):
    pass


@dataclass
class Stock:
    counts: dict[str, int] = field(default_factory=dict)

    def take(self, name: str, count: int = 1) -> int:
        if self.counts.get(name, 0) < count:
            raise OutOfStock(f"only {self.counts.get(name, 0):>3} of {name!r}")
        self.counts[name] -= count
        return self.counts[name]
`,
    ],
    'tests/test_stock.py': [
      null,
      `import pytest

from shop.stock import OutOfStock, Stock


@pytest.fixture
def stock():
    return Stock({"pen": 3})


@pytest.mark.parametrize(("count", "left"), [(1, 2), (3, 0)])
def test_take_leaves_the_rest(stock, count, left):
    assert stock.take("pen", count) == left


def test_take_too_many(stock):
    with pytest.raises(OutOfStock, match="only"):
        stock.take("pen", 4)
`,
    ],
  },
  'Python: unittest turned into pytest': {
    'tests/test_money.py': [
      'class TestMoney(unittest.TestCase):\n    def test_adds(self):\n        self.assertEqual(money(1) + money(2), money(3))\n\n    def test_text(self):\n        self.assertIn("1", str(money(1)))\n',
      'def test_adds():\n    assert money(1) + money(2) == money(3)\n\n\ndef test_text():\n    assert "1" in str(money(1))\n',
    ],
  },
  'Python: a helper taken out of two tests': {
    'tests/test_api.py': [
      'def test_a(client):\n    r = client.get("/a")\n    assert r.status_code == 200\n    assert r.json() == {"a": 1}\n\n\ndef test_b(client):\n    r = client.get("/b")\n    assert r.status_code == 200\n    assert r.json() == {"b": 2}\n',
      'def get(client, path):\n    return client.get(path, headers={"accept": "application/json"})\n\n\ndef test_a(client):\n    r = get(client, "/a")\n    assert r.status_code == 200\n    assert r.json() == {"a": 1}\n\n\ndef test_b(client):\n    r = get(client, "/b")\n    assert r.status_code == 200\n    assert r.json() == {"b": 2}\n',
    ],
  },
  'Go: a table test gets more cases and errors': {
    'parse.go': [
      'package a\n\nfunc Parse(s string) int { return len(s) }\n',
      'package a\n\nimport (\n\t"fmt"\n\t"strconv"\n)\n\n// Parse reads a number.\nfunc Parse(s string) (int, error) {\n\tn, err := strconv.Atoi(s)\n\tif err != nil {\n\t\treturn 0, fmt.Errorf("parse %q: %w", s, err)\n\t}\n\treturn n, nil\n}\n',
    ],
    'parse_test.go': [
      'package a\n\nfunc TestParse(t *testing.T) {\n\tif got := Parse("1"); got != 1 {\n\t\tt.Errorf("got %d", got)\n\t}\n}\n',
      'package a\n\nfunc TestParse(t *testing.T) {\n\ttests := []struct {\n\t\tname    string\n\t\tin      string\n\t\twant    int\n\t\twantErr bool\n\t}{\n\t\t{"one", "1", 1, false},\n\t\t{"skip me not", "x", 0, true},\n\t}\n\tfor _, tt := range tests {\n\t\tt.Run(tt.name, func(t *testing.T) {\n\t\t\tgot, err := Parse(tt.in)\n\t\t\tif (err != nil) != tt.wantErr {\n\t\t\t\tt.Fatalf("err = %v", err)\n\t\t\t}\n\t\t\tif got != tt.want {\n\t\t\t\tt.Errorf("got %d, want %d", got, tt.want)\n\t\t\t}\n\t\t})\n\t}\n}\n',
    ],
  },
  'Rust: a module with its tests inside': {
    'src/queue.rs': [
      'pub struct Queue<T> { items: Vec<T> }\n',
      `pub struct Queue<T> {
    items: Vec<T>,
}

impl<'a, T: Clone> Queue<T> {
    pub fn pop(&'a mut self) -> Option<T> {
        assert!(self.items.len() < usize::MAX, "can't be");
        if self.items.is_empty() { None } else { Some(self.items.remove(0)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pops_in_order() {
        let mut queue = Queue { items: vec!['a', '"'] };
        assert_eq!(queue.pop(), Some('a'));
        assert_eq!(queue.pop(), Some('"'));
        assert_eq!(queue.pop(), None);
    }

    #[test]
    #[should_panic(expected = "can't be")]
    fn refuses_nonsense() {
        panic!("can't be: {}", r#"#[ignore]"#);
    }
}
`,
    ],
  },
  'Java: a service and its test': {
    'src/main/java/Greeter.java': [
      'class Greeter {\n  String greet(String name) {\n    return "Hi " + name;\n  }\n}\n',
      'class Greeter {\n  private final Clock clock;\n\n  Greeter(Clock clock) {\n    this.clock = clock;\n  }\n\n  String greet(String name) {\n    if (name.isBlank()) throw new IllegalArgumentException("a name is needed");\n    return clock.isMorning() ? "Good morning " + name : "Hi " + name;\n  }\n}\n',
    ],
    'src/test/java/GreeterTest.java': [
      'class GreeterTest {\n  @Test\n  void greets() {\n    assertEquals("Hi Ann", new Greeter().greet("Ann"));\n  }\n}\n',
      'class GreeterTest {\n  private final Clock clock = mock(Clock.class);\n\n  @Test\n  void greets() {\n    assertEquals("Hi Ann", new Greeter(clock).greet("Ann"));\n  }\n\n  @Test\n  void needsAName() {\n    assertThrows(IllegalArgumentException.class, () -> new Greeter(clock).greet(" "));\n  }\n}\n',
    ],
  },
  'shell: a script and its bats test': {
    'bin/release': [
      null,
      '#!/usr/bin/env bash\nset -euo pipefail\n\nusage() {\n  echo "usage: release <version>" >&2\n  exit 2\n}\n\n[ $# -eq 1 ] || usage\ngit tag -a "v$1" -m "Don\'t skip $(date +%F)"\n',
    ],
    'test/release.bats': [
      null,
      '@test "release needs a version" {\n  run bin/release\n  [ "$status" -eq 2 ]\n  [[ "$output" == *"usage"* ]]\n}\n',
    ],
  },
}
