"""The files of docs/stop-a-spammer.md, generated: spam is rare in them, as in life."""

SPAM = (
    "win a free {} now",
    "claim your {} prize today",
    "you have won a {}, call to claim",
    "free {} waiting, text WIN",
)
HAM = (
    "see you at the {} tomorrow",
    "are you home? the {} is here",
    "I left my {} at work",
    "call me about the {} later",
)
THINGS = (
    "phone",
    "lunch",
    "meeting",
    "garden",
    "ticket",
    "holiday",
    "camera",
    "car",
    "book",
    "train",
    "house",
    "party",
)


def write_messages(path, things, spam=SPAM):
    rows = [(template.format(thing), "spam") for template in spam for thing in things]
    rows += [
        (f"{template.format(thing)}{end}", "ham") for template in HAM for thing in things for end in ("", " ok", "?")
    ]
    path.write_text("text,label\n" + "".join(f'"{text}",{label}\n' for text, label in rows), encoding="utf-8")


def write_spam_files(folder):
    """Write train.csv and test.csv; a tenth of the things is in the test file only."""
    write_messages(folder / "train.csv", THINGS[:9])
    write_messages(folder / "test.csv", THINGS[9:] * 4)
