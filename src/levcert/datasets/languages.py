"""Which language is this?  Real text without a download: the names in Unicode's CLDR, as Babel carries them.

Every locale of CLDR knows what countries, languages, scripts, currencies and units are called in it.  A text is
some such names of one language joined by commas.  Names that two of our languages spell alike say nothing and
are left out.  A hash of the name decides whether it serves training or test, so no name is in both.
"""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from typing import Final

import numpy as np

from levcert.datasets.dataset import Dataset, Split

LANGUAGES: Final = {
    "cs": "Czech", "da": "Danish", "de": "German", "en": "English", "es": "Spanish", "fi": "Finnish",
    "fr": "French", "hu": "Hungarian", "id": "Indonesian", "it": "Italian", "nl": "Dutch", "pl": "Polish",
    "pt": "Portuguese", "ro": "Romanian", "sv": "Swedish", "tr": "Turkish",
}  # fmt: skip
SHORTEST, LONGEST = 20, 120
_SEPARATOR: Final = ", "
_UNITS: Final = [
    "angle-degree",
    "area-acre",
    "area-hectare",
    "duration-century",
    "duration-day",
    "duration-hour",
    "duration-minute",
    "duration-month",
    "duration-second",
    "duration-week",
    "duration-year",
    "electric-ampere",
    "electric-volt",
    "energy-calorie",
    "energy-joule",
    "length-foot",
    "length-inch",
    "length-kilometer",
    "length-light-year",
    "length-meter",
    "length-mile",
    "length-nautical-mile",
    "mass-carat",
    "mass-gram",
    "mass-kilogram",
    "mass-ounce",
    "mass-pound",
    "mass-ton",
    "power-horsepower",
    "power-watt",
    "speed-kilometer-per-hour",
    "speed-knot",
    "speed-mile-per-hour",
    "temperature-celsius",
    "temperature-fahrenheit",
    "volume-bushel",
    "volume-cup",
    "volume-gallon",
    "volume-liter",
    "volume-pint",
    "volume-tablespoon",
    "volume-teaspoon",
]


def load_languages(train_rows: int = 1000, test_rows: int = 250) -> Dataset:
    """Make the dataset: equally many texts per language, the same on every machine with the same Babel."""
    import babel

    names = {code: _names(code) for code in LANGUAGES}
    spelled = Counter(name for of_language in names.values() for name in of_language)

    def split(is_test: bool, rows: int) -> Split:
        texts: list[str] = []
        for code, of_language in names.items():
            own = sorted(name for name in of_language if spelled[name] == 1 and _is_test(name) == is_test)
            texts += _phrases(own, rows, random.Random(f"{code} {is_test}"))
        order = random.Random(0).sample(range(len(texts)), len(texts))
        return Split([texts[i] for i in order], np.array([i // rows for i in order], dtype=np.int64))

    return Dataset(
        name="languages",
        labels=tuple(LANGUAGES.values()),
        train=split(False, train_rows),
        test=split(True, test_rows),
        source=f"Unicode CLDR in Babel {babel.__version__}",
    )


def _names(code: str) -> set[str]:
    """Return what things are called in one language; names that are codes or too long are left out."""
    from babel import Locale
    from babel.units import get_unit_name

    locale = Locale(code)
    tables = (locale.territories, locale.languages, locale.scripts, locale.variants, locale.currencies)
    names = {str(name) for table in tables for name in table.values()}
    names |= {name for unit in _UNITS if (name := get_unit_name(unit, locale=locale))}
    return {name for name in names if 3 <= len(name) <= LONGEST and not name.isupper() and _SEPARATOR not in name}


def _is_test(name: str) -> bool:
    """Assign one name in five to the test split, regardless of its language and capitals."""
    return hashlib.sha256(name.casefold().encode()).digest()[0] % 5 == 0


def _phrases(names: list[str], rows: int, rng: random.Random) -> list[str]:
    """Join names in random order, each used as often as the others, into texts of 20 to 120 characters."""
    phrases: list[str] = []
    queue: list[str] = []
    while len(phrases) < rows:
        length = rng.randint(SHORTEST, LONGEST)
        phrase = ""
        while len(phrase) < length:
            if not queue:
                queue = rng.sample(names, len(names))
            longer = phrase + _SEPARATOR * bool(phrase) + queue[-1]
            if len(longer) > LONGEST:
                break
            phrase = longer
            queue.pop()
        if len(phrase) >= SHORTEST:
            phrases.append(phrase)
    return phrases
