"""The lines and layers of eager ops, which TensorFlow's profiler shows by their type only.

Python calls eager ops through functions of a few modules. While ops are recorded, these have
wrappers that note each call.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import partial
from types import FrameType

from tensorflow.python import pywrap_tfe
from tensorflow.python.eager import backprop, context
from tensorflow.python.framework import constant_op

from laptime._native import tensorflow_steps, torch_ops, xplane
from laptime.collect.patches import Patches
from laptime.collect.user_line import UserLine, line_in
from laptime.frameworks.tensorflow.layer_lines import innermost_line, layer_path

# What calls ops: the module, the function, the number of the argument that is the op's name.
_OPS = (
    (pywrap_tfe, "TFE_Py_FastPathExecute", 1),
    (pywrap_tfe, "TFE_Py_Execute", 2),
    (pywrap_tfe, "TFE_Py_ExecuteCancelable", 2),
    (constant_op, "convert_to_eager_tensor", -1),
)


class EagerCallNotes:
    """Contract: ``calls`` are read after ``off``."""

    def __init__(self) -> None:
        self.calls = xplane.OpCalls()
        self._native = tensorflow_steps.EagerCalls(
            calls=self.calls,
            call_site=torch_ops.call_site_function(),
            refine=_call_site_in_layer,
            context=context.context(),
        )
        self._patches = Patches()
        # TensorFlow calls it through a reference that it does not count. So it is made once.
        self._gradient = self._native.wrap_gradient(backprop._gradient_function)

    def on(self) -> None:
        native = self._native
        for module, name, name_at in _OPS:
            if hasattr(module, name):
                self._patches.replace(module, name, partial(native.wrap_op, name_at=name_at))
        self._patches.replace(
            pywrap_tfe, "TFE_Py_RecordGradient", partial(native.wrap_note, name_at=0)
        )
        self._patches.replace(pywrap_tfe, "TFE_Py_TapeGradient", native.wrap_tape)
        pywrap_tfe.TFE_Py_RegisterGradientFunction(self._gradient)
        native.on = True

    def off(self) -> None:
        self._native.on = False
        self._patches.remove()
        pywrap_tfe.TFE_Py_RegisterGradientFunction(backprop._gradient_function)


def _call_site_in_layer(call_site: int, scopes: str) -> int:
    """The call site with the layer, for one that was found without. It is the innermost line of the
    user's that runs now.
    """
    layer = layer_path(scopes, in_graph=False)
    line = innermost_line(_frames(), layer)
    return line.call_site(layer) or call_site


def _frames() -> Iterator[tuple[str, str, UserLine]]:
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        code = frame.f_code
        yield code.co_filename, code.co_name, line_in(code, frame.f_lineno or 0)
        frame = frame.f_back
