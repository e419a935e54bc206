"""The table of the papers' settings beside ours: complete, generated from the profiles, and a
reason for each difference.
"""

from __future__ import annotations

import pytest

from pseudogec.report.hyperparameters import NOT_STATED, hyperparameters
from pseudogec.study import PROJECT, Profile, load_profile

PROFILES = ["paper", "paper-emnlp2019", "choe2019"]


def profile_of(name: str, *overrides: str) -> Profile:
    return load_profile(PROJECT / "params" / f"{name}.yaml", overrides)


@pytest.mark.parametrize("name", PROFILES)
def test_no_setting_differs_without_a_reason(name: str) -> None:
    table = hyperparameters(profile_of(name))
    assert len(table) > 60
    unexplained = table[(table.theirs != table.ours) & (table.why == "")]
    assert unexplained.empty, (
        f"give each a reason under `differences` of params/{name}.yaml:\n{unexplained.to_string()}"
    )


@pytest.mark.parametrize("name", PROFILES)
def test_no_reason_is_left_behind_when_a_difference_has_gone(name: str) -> None:
    profile = profile_of(name)
    table = hyperparameters(profile)
    inherited = profile_of("paper").differences if name == "paper-emnlp2019" else {}
    assert profile.differences.keys() - inherited.keys() <= set(
        table.key[table.theirs != table.ours]
    )


def test_ours_is_read_from_the_profile() -> None:
    table = hyperparameters(
        profile_of("paper", "optimisations.fine_tuning.epochs=29", "seeds=[1, 2]")
    ).set_index("setting")
    assert tuple(table.loc["fine-tuning: epochs", ["theirs", "ours", "why"]]) == ("30", "29", "")
    assert tuple(table.loc["trials (random seeds)", ["theirs", "ours"]]) == ("5", "2")
    assert tuple(table.loc["fine-tuning: learning rate", ["theirs", "ours"]]) == ("3e-05", "3e-05")
    assert table.loc["JOINT: subwords a batch", "theirs"] == NOT_STATED


def test_an_architecture_has_settings_of_its_own() -> None:
    table = hyperparameters(profile_of("choe2019")).set_index("setting")
    assert table.loc["pretraining: learning rate, large", "ours"] == "0.001"
    assert table.loc["pretraining: learning rate, base and copy", "ours"] == "0.0005"
    assert table.loc["copy: feed-forward size", "ours"] == "4,096"
