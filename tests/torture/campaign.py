"""What a campaign gives back: how often something was tried, and each try that did not hold, in
words.
"""

from dataclasses import dataclass, field


@dataclass
class Result:
    promise: str
    tried: str
    tries: int = 0
    failures: list[str] = field(default_factory=list)

    def add(self, failure=None):
        self.tries += 1
        if failure:
            self.failures.append(failure)

    @property
    def held(self):
        return self.tries - len(self.failures)
