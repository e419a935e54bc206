"""How near a count must be to its expectation."""


def assert_rate(count: int, trials: int, probability: float) -> None:
    """A count lies within 4 standard errors of what a binomial distribution expects."""
    deviation = (trials * probability * (1 - probability)) ** 0.5
    assert abs(count - trials * probability) <= 4 * deviation, (
        f"{count / trials}, expected {probability}"
    )
