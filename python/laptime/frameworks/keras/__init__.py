"""Keras: the batches of ``fit``, ``evaluate`` and ``predict`` as steps, on every backend, and the
lines where layers are made.

Importing this does not import keras.
"""

from __future__ import annotations

from laptime._messages import say

__all__ = ["watch_loops"]


_is_watching = False


def watch_loops() -> None:
    """Call when the program has imported keras. Does nothing the second time. A failure is reported
    in one line.
    """
    global _is_watching
    if _is_watching:
        return
    _is_watching = True
    try:
        from laptime.frameworks.keras import input_waits, layers, loops
        from laptime.frameworks.keras.settings import Settings

        settings = Settings()
        settings.install()
        loops.install(settings.fit_began)
        input_waits.install()
        layers.install()
    except Exception as error:
        say(f"keras is not measured: {error}")
