"""Two texts of one game that grew apart: what others have written into a file, and what is to be saved."""

from qttt.errors import RecordError
from qttt.records.record import Record
from qttt.records.text import LOSSES, UNFINISHED, Part, Token

JOB = "Job"


def merged(ours: Record, theirs: Record, known: Record) -> Record | None:
    """Our events with the headers and comments that came into the file.

    A header of theirs stays unless we changed or removed it ourselves; what says how the game ended, and
    ``Job``, are always ours. Up to where the events part, comments are theirs; after it, ours.

    Args:
        ours: the record to be saved.
        theirs: what the file holds now.
        known: what it held when we looked last; the headers in which ours differs from it are our changes.

    Returns:
        None if ours would be written over something else: a game that went on differently, one of other rules
        or that the other player began, or one that waits for a job that we do not know.
    """
    if theirs.events not in (known.events, ours.events[: len(theirs.events)]):
        return None
    if not (_same_start(ours, theirs) or _same_start(known, theirs)):
        return None
    if _job(theirs) not in ("", _job(ours), _job(known)):
        return None
    record = Record(_parts(ours, theirs))
    said, before = ours.headers, known.headers
    for key, value in said.items():
        if key == JOB or key not in record.headers or value != before.get(key):
            record = record.with_header(key, value)
    for key in {*before, JOB, *LOSSES.values()} - said.keys():
        record = record.without_header(key)
    if "Result" in record.headers:
        record = record.with_header("Result", said.get("Result", UNFINISHED))
    return record


def _same_start(ours: Record, theirs: Record) -> bool:
    """Whether rules and first player are the same; what theirs does not say may have been said beside it."""
    for key in ("Level", "Options", "First"):
        if key in ours.headers and key not in theirs.headers:
            theirs = theirs.with_header(key, ours.headers[key])
    try:
        return (ours.rules, ours.first) == (theirs.rules, theirs.first)
    except RecordError:
        return False


def _job(record: Record) -> str:
    """The file of the job that a record waits for; the rest of the header changes while the job is sent."""
    return (record.headers.get(JOB, "").split(maxsplit=2) or [""])[-1]


def _parts(ours: Record, theirs: Record) -> tuple[Part, ...]:
    """Theirs up to the event at which they part, comments before it included; from there on ours."""
    agreed = 0
    for mine, other in zip(ours.events, theirs.events, strict=False):
        if mine != other:
            break
        agreed += 1
    return (*theirs.parts[: _place(theirs, agreed)], *ours.parts[_place(ours, agreed) :])


def _place(record: Record, number: int) -> int:
    """Where the token after so many others stands among the parts; their end if there is none."""
    tokens = [place for place, part in enumerate(record.parts) if isinstance(part, Token)]
    return tokens[number] if number < len(tokens) else len(record.parts)
