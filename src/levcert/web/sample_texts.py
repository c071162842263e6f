"""Texts to try, written for the datasets levcert knows; there are none for your own data."""

from __future__ import annotations

from typing import Final

SAMPLES: Final[dict[str, tuple[tuple[str, str], ...]]] = {
    "ag_news": (
        ("Sports", "The captain scored twice in the final ten minutes as the home team came from behind to win the "
         "championship game in front of a record crowd."),
        ("Business", "Shares of the airline fell nine percent after the company cut its profit forecast for the "
         "quarter, blaming higher oil prices."),
        ("Sci/Tech", "Researchers have released a free software update that closes a security hole in the web browser "
         "used by millions of computers."),
        ("World", "Peace talks resumed on Tuesday after ministers from both countries agreed to a ceasefire "
         "along the disputed border, the foreign ministry said."),
        ("Between two classes", "The software company bought the football club for a price that surprised the market."),
    ),
    "sst2": (
        ("Glad", "a warm and funny film with a heart as large as its cast"),
        ("Bored", "two hours of dull dialogue that never finds a reason to exist"),
        ("Torn", "the pictures are lovely and the story is not"),
    ),
    "imdb": (
        ("Glad", "I did not expect much and was delighted. The acting is superb, the pace is right, and the last scene "
         "is one I will remember for years. Highly recommended."),
        ("Bored", "What a waste of time. The plot makes no sense, the jokes are awful, and I wanted my money back "
         "after twenty minutes."),
        ("Torn", "The first half is brilliant and the second half is a mess."),
    ),
    "fake_news": (
        ("Sober", "The committee published its report on Wednesday and will vote on the amendment next month."),
        ("Loud", "SHOCKING!!! What they do NOT want you to know about your tap water, share before it is deleted"),
    ),
    "languages": (
        ("Capital letters", "Oktober"),
        ("One letter apart", "januari"),
        ("Another script", "четверг"),
    ),
    "toy": (
        ("Letters", "hello world"),
        ("Digits", "31415926535"),
        ("Both", "ab12cd34e"),
    ),
}  # fmt: skip
