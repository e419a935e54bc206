"""Places of English where a verb need not agree with its subject: after a collective noun, and in
the subjunctive.
"""

from __future__ import annotations

from collections.abc import Sequence

_COLLECTIVE = frozenset(
    """army audience band board cabinet choir class club committee community company council couple crew crowd department family
    firm gang government group jury majority management media military ministry minority navy number opposition orchestra pair
    parliament party police press public rest staff team trio youth
    united city county rovers wanderers rangers albion arsenal chelsea liverpool everton villa
    australia england france germany india ireland italy pakistan scotland spain wales zealand""".split()
)
_BETWEEN = frozenset(
    "all also always both each ever just not never now often only still then usually n't".split()
)
_UNREAL = frozenset("wish wishes wished if though would lest suppose as rather".split())
_DEMANDS = frozenset(
    """suggest suggests suggested suggesting recommend recommends recommended recommending propose proposes proposed proposing
    demand demands demanded demanding insist insists insisted insisting request requests requested requesting require requires
    required requiring ask asks asked urge urges urged order orders ordered advise advises advised prefer prefers preferred
    suggestion recommendation proposal demand requirement
    vital essential important imperative crucial necessary desirable advisable better""".split()
)
_FAR = 7  # tokens from a demand to the verb of its clause


def may_disagree(tokens: Sequence[str], place: int) -> bool:
    """Whether the verb at a place of a sentence, or one that was left out there, may have another
    number than its subject.

    So it is in *the team are*, *I wish he were*, *she suggested that he see a doctor*, *that he not
    go*.
    """
    before = [token.lower() for token in tokens[max(0, place - _FAR) : place]]
    subject = next((word for word in reversed(before) if word not in _BETWEEN), "")
    if subject in _COLLECTIVE or not _DEMANDS.isdisjoint(before):
        return True
    return tokens[place : place + 1] == ["were"] and not _UNREAL.isdisjoint(before)
