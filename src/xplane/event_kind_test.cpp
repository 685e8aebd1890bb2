#include "xplane/event_kind.h"

#include <gtest/gtest.h>

#include "xplane/event_decoder.h"

namespace laptime {
namespace {

TEST(EventKind, MarkersTellThePhase) {
  EXPECT_EQ(phase_of_marker("Profiled batch"), "train");
  EXPECT_EQ(phase_of_marker("Train_step"), "train");
  EXPECT_EQ(phase_of_marker("eval_step"), "validation");
  EXPECT_EQ(phase_of_marker("predict"), "inference");
  EXPECT_EQ(phase_of_marker("step"), "train");
}

TEST(EventKind, OnlyANameWithItsTypeIsAnOp) {
  EXPECT_EQ(event_kind("adam/Add_2:AddV2", "AddV2").kind, SpanKind::op);
  EXPECT_EQ(event_kind("adam/Add_2:AddV2", "AddV2").detail, "adam/Add_2");
  EXPECT_EQ(event_kind("KernelAndDeviceFunc::Run", "Run").kind, SpanKind::scope);
  EXPECT_EQ(event_kind("AddV2", "AddV2").kind, SpanKind::scope);
}

TEST(EventKind, GradientsAreBackward) {
  EXPECT_EQ(event_kind("gradient_tape/net/MatMul:MatMul", "MatMul").kind, SpanKind::backward);
  EXPECT_EQ(event_kind("StatefulPartitionedCall/gradients/a:Mul", "Mul").kind, SpanKind::backward);
  EXPECT_EQ(event_kind("my_gradients/a:Mul", "Mul").kind, SpanKind::op);
}

TEST(EventKind, CallsOfCompiledFunctionsAreDispatch) {
  const EventKind call = event_kind("EagerLocalExecute: __inference_train_step_12", "");
  EXPECT_EQ(call.kind, SpanKind::dispatch);
  EXPECT_EQ(call.name, "train_step");
  EXPECT_EQ(event_kind("EagerLocalExecute: __inference_f", "").name, "f");
  EXPECT_EQ(event_kind("EagerLocalExecute: __inference_12", "").name, "12");
  EXPECT_EQ(event_kind("EagerLocalExecute: __forward_f_12", "").name, "f");
  EXPECT_EQ(event_kind("EagerLocalExecute: __inference___backward_f_15_29", "").name,
            "__backward_f");
  EXPECT_EQ(event_kind("__inference_h_44:__inference_h_44", "__inference_h_44").name, "h");
  EXPECT_EQ(event_kind("EagerLocalExecute: MatMul", "").kind, SpanKind::op);
  EXPECT_EQ(event_kind("PjitFunction(step)", "").name, "step");
  EXPECT_EQ(event_kind("PjitFunction(step", "").kind, SpanKind::scope);
}

TEST(EventKind, OnlyCallsHaveAFunction) {
  EXPECT_EQ(called_function("EagerLocalExecute: __forward_f_12"), "__forward_f_12");
  EXPECT_EQ(called_function("EagerLocalExecute: MatMul"), "");
  EXPECT_EQ(called_function("__inference_f_12"), "");
}

TEST(EventKind, StagesHaveTheirLastName) {
  const EventKind stage = event_kind("Iterator::Root::Prefetch::Map", "Iterator::Map");
  EXPECT_EQ(stage.kind, SpanKind::stage);
  EXPECT_EQ(stage.name, "Map");
  EXPECT_EQ(stage.detail, "Iterator::Root::Prefetch::Map");
}

TEST(EventKind, InstructionsHaveATypeAndANumber) {
  EXPECT_EQ(instruction_type("dot.3"), "dot");
  EXPECT_EQ(instruction_type("loop_fusion.12.clone.1"), "loop_fusion");
  EXPECT_EQ(instruction_type("wrapped_tanh"), "wrapped_tanh");
  EXPECT_EQ(instruction_type(".3"), ".3");
  EXPECT_EQ(instruction_type("a."), "a.");
  EXPECT_EQ(instruction_type(""), "");
}

}  // namespace
}  // namespace laptime
