"""What a few recorded steps tell of the processors, with clocks that the test turns itself."""

import pytest
from laptime.frameworks.torch import cpu_shares
from laptime.frameworks.torch.cpu_shares import CpuShares


class Clocks:
    def __init__(self):
        self.wall, self.cpu, self.process = 1, 0, 0

    def pass_by(self, wall, cpu, process=0):
        self.wall += wall
        self.cpu += cpu
        self.process += process or cpu


@pytest.fixture
def clocks(monkeypatch):
    clocks = Clocks()
    monkeypatch.setattr(cpu_shares, "perf_counter_ns", lambda: clocks.wall)
    monkeypatch.setattr(cpu_shares, "thread_time_ns", lambda: clocks.cpu)
    monkeypatch.setattr(cpu_shares, "process_time_ns", lambda: clocks.process)
    return clocks


def step(shares, clocks, wait=(100, 20), besides=(50, 50)):
    shares.requested()
    clocks.pass_by(*wait)
    shares.received()
    clocks.pass_by(*besides)
    shares.ended()


def test_waits_and_the_rest_are_told_apart(clocks):
    shares = CpuShares()
    for _ in range(5):
        step(shares, clocks)
    facts = shares.facts()
    assert (facts["input_cpu"], facts["step_cpu"]) == (0.2, 1.0)


def test_a_step_that_was_stopped_tells_nothing(clocks):
    shares = CpuShares()
    for _ in range(5):
        step(shares, clocks, besides=(100, 90))
    step(shares, clocks, wait=(10**9, 20), besides=(10**9, 90))
    facts = shares.facts()
    assert (facts["input_cpu"], facts["step_cpu"]) == (0.2, 0.9)


def test_only_so_many_steps_are_looked_at(clocks):
    shares = CpuShares()
    for _ in range(cpu_shares._MOST):
        step(shares, clocks)
    before = shares.facts()
    for _ in range(2 * cpu_shares._MOST):
        step(shares, clocks, wait=(100, 100))
    assert shares.facts() == before


def test_nothing_seen_nothing_told():
    assert CpuShares().facts() == {}


def test_processors_of_all_threads_are_counted(clocks):
    shares = CpuShares()
    for _ in range(5):
        step(shares, clocks, besides=(100, 100, 180))
    assert shares.facts()["step_cpus"] == 1.8


def test_a_program_without_a_loader_is_told_too(clocks):
    shares = CpuShares()
    for _ in range(cpu_shares._COUNTED):
        shares.step_began()
        clocks.pass_by(100, 90, 170)
        shares.step_ended()
    facts = shares.facts()
    assert (facts["step_cpu"], facts["step_cpus"]) == (0.9, 1.7)
    assert "input_cpu" not in facts


def test_marks_of_a_loaders_steps_count_nothing_twice(clocks):
    shares = CpuShares()
    for _ in range(5):
        step(shares, clocks)
        shares.step_ended()
        shares.step_began()
        clocks.pass_by(1000, 0)
    assert shares.facts()["step_cpu"] == 1.0
