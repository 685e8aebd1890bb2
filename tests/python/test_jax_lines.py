"""Lines of XLA's kernels, from compiled programs as JAX prints them.

There are two forms: since stack frames stand in tables, and before.
"""

from laptime.frameworks.jax.hlo_text import Instruction, instructions_of

WITH_FRAMES = """\
HloModule jit_step, is_scheduled=true, entry_computation_layout={(f32[64]{0})->f32[64]{0}}

FileNames
1 "/somewhere/train.py"
2 "/somewhere/model \\"a\\".py"

FunctionNames
1 "<module>"
2 "Model.loss"

FileLocations
1 {file_name_id=1 function_name_id=1 line=14 end_line=14 column=0 end_column=6}
2 {file_name_id=1 function_name_id=2 line=11 end_line=12 column=8 end_column=21}
3 {file_name_id=9 function_name_id=2 line=12}

StackFrames
1 {file_location_id=1 parent_frame_id=1}
2 {file_location_id=2 parent_frame_id=2}
4 {file_location_id=8 parent_frame_id=2}

%fused_computation (param_0: f32[64]) -> f32[64] {
  %param_0 = f32[64]{0} parameter(0)
  ROOT %tanh.0 = f32[64]{0} tanh(%param_0), metadata={op_name="jit(step)/tanh" stack_frame_id=2}
}

ENTRY %main (x: f32[64]) -> f32[64] {
  %x = f32[64]{0} parameter(0), metadata={op_name="x"}
  %loop_tanh_fusion.1 = f32[64]{0} fusion(%x), kind=kLoop, calls=%fused_computation, \
metadata={op_name="jit(step)/tanh" stack_frame_id=2}, backend_config={"kind":"x"}
  %copy-done = f32[64]{0} copy(%loop_tanh_fusion.1), metadata={op_name="copy" stack_frame_id=4}
  ROOT %wrapped_add = f32[64]{0} fusion(%loop_tanh_fusion.1), kind=kLoop, calls=%other, \
metadata={op_name="jit(step)/add" stack_frame_id=1}
}
"""

BEFORE = """HloModule jit_f
ENTRY main.4 {
  x = f32[64]{0} parameter(0)
  ROOT input_reduce_fusion = f32[] fusion(x), kind=kInput, calls=c, \
metadata={op_name="jit(f)/sum" source_file="/somewhere/train.py" source_line=7}
  nameless = f32[] add(x, x), metadata={op_name="jit(f)/add" source_line=7}
}
"""


IN_LAYERS = """\
HloModule jit_step

FileNames
1 "/somewhere/train.py"
2 "/packages/flax/linear.py"

FunctionNames
1 "step"
2 "Dense.__call__"

FileLocations
1 {file_name_id=1 function_name_id=1 line=14 end_line=14 column=0 end_column=6}
2 {file_name_id=2 function_name_id=2 line=287 end_line=292 column=8 end_column=21}

StackFrames
1 {file_location_id=1 parent_frame_id=1}
2 {file_location_id=2 parent_frame_id=2}

%fused_computation (param_0: f32[64]) -> f32[64] {
  %param_0 = f32[64]{0} parameter(0)
  ROOT %mul.0 = f32[64]{0} multiply(%param_0), metadata={op_name="mul" stack_frame_id=2}
}

ENTRY %main (x: f32[64]) -> f32[64] {
  %dot = f32[64]{0} dot(%x), metadata={op_name="jit(step)/transpose(jvp(Net))/while/body/Dense_0\
/dot_general" stack_frame_id=2}
  ROOT %fusion = f32[64]{0} fusion(%dot), kind=kLoop, calls=%fused_computation, \
metadata={op_name="jit(step)/jvp()/mul;jit(step)/add"}
}
"""


def lines_of_instructions(program):
    return [(found.name, found.lines[0]) for found in instructions_of(program)]


def test_lines_by_frames():
    found = dict(lines_of_instructions(WITH_FRAMES))
    assert found == {
        "tanh.0": ("/somewhere/train.py", 11, "loss"),
        "loop_tanh_fusion.1": ("/somewhere/train.py", 11, "loss"),
        "wrapped_add": ("/somewhere/train.py", 14, "<module>"),
        # without a line of their own: those of the instructions beside them
        "param_0": ("/somewhere/train.py", 11, "loss"),
        "x": ("/somewhere/train.py", 11, "loss"),
        "copy-done": ("/somewhere/train.py", 11, "loss"),
    }


def test_lines_in_the_instruction():
    assert dict(lines_of_instructions(BEFORE)) == {
        "input_reduce_fusion": ("/somewhere/train.py", 7, ""),
        "x": ("/somewhere/train.py", 7, ""),
        "nameless": ("/somewhere/train.py", 7, ""),
    }


def test_what_is_no_program_has_none():
    for text in (
        "",
        "HloModule m\n\nFileNames\n",
        "StackFrames\n1 {file_location_id=1",
        "%x = f32[] add(), metadata={stack_frame_id=1}",
    ):
        assert list(lines_of_instructions(text)) == []


def test_lines_of_packages_lead_to_the_callers():
    found = {instruction.name: instruction for instruction in instructions_of(IN_LAYERS)}
    assert found["dot"].lines == (
        ("/packages/flax/linear.py", 287, "__call__"),
        ("/somewhere/train.py", 14, "step"),
    )
    assert found["dot"].layer == "Net.Dense_0"
    assert found["dot"].is_backward


def test_a_fusion_without_a_line_has_that_of_what_it_calls():
    found = {instruction.name: instruction for instruction in instructions_of(IN_LAYERS)}
    assert found["fusion"].lines == found["mul.0"].lines
    assert found["fusion"].layer == ""
    assert not found["fusion"].is_backward


def test_layers():
    for operation, layer in {
        "jit(f)/dot_general": "",
        "jit(f)/jvp(M)/Block_0/Dense_1/dot_general": "M.Block_0.Dense_1",
        "jit(f)/jvp(M)/jit(relu)/max": "M",
        "": "",
    }.items():
        assert Instruction("i", operation, ()).layer == layer
