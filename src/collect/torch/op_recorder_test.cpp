#include "collect/torch/op_recorder.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "collect/torch/line_table.h"
#include "collect/torch/op_callbacks.h"
#include "collect/torch/op_names.h"

namespace laptime::torch {
namespace {

thread_local OpThread* here = nullptr;
const void* frame = nullptr;
std::uint32_t queries = 0;

OpHost counted_host() {
  set_call_site_source(
      {[] { return frame; },
       [](void*&, const void*, CallSiteGuards*) -> std::uint32_t { return ++queries; },
       [](void*) {}});
  return op_host();
}

const void* function(int number) {
  return reinterpret_cast<const void*>(static_cast<std::uintptr_t>(number));
}

struct Program {
  OpHost host = counted_host();

  void begin(int number, const char* name, std::uint32_t scope = kScopeFunction,
             const void* schema = nullptr) {
    begin_op(host, here, {function(number), schema, -1, 1, scope},
             [name] { return std::string_view(name); });
  }
  void end(int number) { end_op(host, here, function(number)); }
  std::uint32_t call_site() const { return OpLink::call_site(here->next[-1].link); }
  std::uint32_t name() const { return OpTail::of(here->next[-1].tail).name; }
};

TEST(OpRecorder, OnlyOutermostOpsQueryTheirCallSite) {
  Program program;
  queries = 0;
  program.begin(1, "aten::conv2d");
  program.begin(2, "aten::convolution");
  EXPECT_EQ(program.call_site(), 0u);
  program.end(2);
  program.end(1);
  program.begin(3, "region", 7);
  program.begin(4, "aten::add");
  EXPECT_EQ(program.call_site(), 3u);
  program.end(4);
  program.end(3);
  EXPECT_EQ(here->next, here->first);
}

TEST(OpRecorder, InsideBackwardOnlyPythonThatRanSinceHasAPlace) {
  Program program;
  int outer = 0, inner = 0;
  frame = &outer;
  queries = 0;
  program.begin(1, "autograd::engine::evaluate_function: MulBackward0");
  program.begin(2, "MulBackward0", kScopeBackward);
  program.begin(3, "aten::mul");
  EXPECT_EQ(program.call_site(), 0u);
  program.end(3);
  frame = &inner;
  program.begin(4, "aten::conv2d");
  EXPECT_EQ(program.call_site(), 1u);
  program.end(4);
  frame = &outer;
  program.end(2);
  program.end(1);
  program.begin(5, "aten::mul");
  EXPECT_EQ(program.call_site(), 2u);
  program.end(5);
}

TEST(OpRecorder, ReturnsTheCallSiteInsideOfAnOp) {
  Program program;
  queries = 6;
  EXPECT_EQ(op_call_site_here(), kInNoOp);
  program.begin(1, "aten::conv2d");
  EXPECT_EQ(op_call_site_here(), 7);
  program.begin(2, "aten::convolution");
  EXPECT_EQ(op_call_site_here(), 7);
  std::thread([] { EXPECT_EQ(op_call_site_here(), kInNoOp); }).join();
  program.end(2);
  program.end(1);
  EXPECT_EQ(op_call_site_here(), kInNoOp);
  program.begin(3, "MulBackward0", kScopeBackward);
  EXPECT_EQ(op_call_site_here(), kInNoOp);
  program.begin(4, "aten::mul");
  EXPECT_EQ(op_call_site_here(), kInBackward) << "no Python runs in it";
  program.end(4);
  program.end(3);
}

TEST(OpRecorder, AConvolutionWithinAnotherLeavesTheFlopsToIt) {
  Program program;
  const auto has_values = [&](int number, const char* name) {
    bool recorded = false;
    begin_op(
        program.host, here, {function(number), nullptr, -1, 1, kScopeFunction},
        [name] { return std::string_view(name); },
        [&](OpThread& thread, OpEntry& entry) {
          leave_flops_to_outer(thread, entry);
          recorded = has_numbers(entry);
        });
    return recorded;
  };
  EXPECT_TRUE(has_values(1, "aten::convolution")) << "by itself";
  program.end(1);
  EXPECT_TRUE(has_values(2, "aten::conv2d"));
  EXPECT_FALSE(has_values(3, "aten::convolution"));
  EXPECT_NE(here->next[-1].traits & OpTraits::kContainsOps, 0u);
  EXPECT_TRUE(has_values(4, "aten::mm")) << "only of the same";
  for (int number : {4, 3, 2}) program.end(number);
  EXPECT_EQ(here->ops, 0u);
}

TEST(OpRecorder, RegionsMayEndOutOfOrderAndOnOtherThreads) {
  Program program;
  program.begin(1, "first", 7);
  program.begin(2, "second", 7);
  program.end(1);
  EXPECT_EQ(here->next - here->first, 1);
  std::thread([&] { program.end(2); }).join();
  EXPECT_EQ(here->next - here->first, 1);
  program.end(2);
  program.end(99);
  EXPECT_EQ(here->next, here->first);
}

TEST(OpRecorder, NestsDeeperThanAnyRoomItStartsWith) {
  Program program;
  for (int i = 1; i <= 5000; ++i) program.begin(i, "aten::add");
  for (int i = 5000; i >= 1; --i) program.end(i);
  EXPECT_EQ(here->next, here->first);
  EXPECT_EQ(here->ops, 0u);
}

TEST(CallSiteGuards, ReturnTheCallSiteWhileAllConditionsHold) {
  std::uint64_t callers[2] = {11, 12}, running = 20;
  CallSiteGuards guards;
  guards.clear();
  for (const std::uint64_t& caller : callers) EXPECT_TRUE(guards.add(&caller));
  guards.uses = 3;
  guards.instruction = &running;
  guards.slot(20) = {20, 5};
  EXPECT_EQ(guards.call_site(), 5u);
  running = 22;  // a line that was not requested yet
  EXPECT_EQ(guards.call_site(), 0u);
  running = 20;
  callers[1] = 13;
  EXPECT_EQ(guards.call_site(), 0u);
  callers[1] = 12;
  EXPECT_EQ(guards.call_site(), 5u);
  EXPECT_EQ(guards.call_site(), 0u) << "Python is queried again after some uses";
}

TEST(CallSiteGuards, HoldUpToTheLastThatThereIsRoomFor) {
  std::uint64_t words[CallSiteGuards::kMost] = {};
  CallSiteGuards guards;
  guards.clear();
  EXPECT_TRUE(guards.hold());
  for (const std::uint64_t& word : words) EXPECT_TRUE(guards.add(&word) && guards.hold());
  EXPECT_FALSE(guards.add(&words[0]));
  EXPECT_TRUE(guards.hold());
  words[CallSiteGuards::kMost - 1] = 1;
  EXPECT_FALSE(guards.hold());
}

TEST(OpRecorder, OperatorsOfAtenAreKnownByTheirSchemaOthersByTheirText) {
  Program program;
  int schemas[3] = {};
  const auto name_of = [&](const void* schema, const char* text) {
    program.begin(1, text, kScopeFunction, schema);
    const std::uint32_t name = program.name();
    program.end(1);
    return name;
  };
  const std::uint32_t add = name_of(&schemas[0], "aten::add");
  EXPECT_EQ(name_of(nullptr, "aten::add"), add);
  EXPECT_EQ(name_of(&schemas[0], "not looked at"), add);
  EXPECT_NE(name_of(&schemas[1], "aten::mul"), add);
  const std::uint32_t mine = name_of(&schemas[2], "mine::add");
  EXPECT_NE(name_of(&schemas[2], "mine::mul"), mine)
      << "what a program registered may have gone, and another come";
}

TEST(OpSchemas, KeepTheLastTwo) {
  int schemas[3] = {};
  OpSchemas slot;
  EXPECT_EQ(slot.find(nullptr), nullptr);
  for (std::uint32_t i = 0; i < 3; ++i) slot.keep(&schemas[i], {i, i});
  EXPECT_EQ(slot.find(&schemas[0]), nullptr);
  EXPECT_EQ(slot.find(&schemas[1])->tail, 1u);
  EXPECT_EQ(slot.find(&schemas[2])->tail, 2u);
}

TEST(OpNames, SayWhatAnOpIs) {
  const OpFacts node = describe_name("autograd::engine::evaluate_function: MulBackward0", 1),
                op = describe_name("aten::add", 2), own = describe_name("Twice", 3);
  EXPECT_EQ(OpTail::of(node.tail).kind, SpanKind::backward);
  EXPECT_EQ(node.traits & OpTraits::kBackward, OpTraits::kBackward);
  EXPECT_EQ(OpTail::of(op.tail).kind, SpanKind::op);
  EXPECT_EQ(OpTail::of(op.tail).name, 2u);
  EXPECT_EQ(op.traits & OpTraits::kContainsOps, OpTraits::kContainsOps);
  EXPECT_EQ(own.traits & OpTraits::kContainsOps, 0u) << "may run lines of the user's";
}

TEST(LineTable, ReadsBothEncodings) {
  const std::uint8_t pairs[] = {4, 0, 6, 2, 2, 0x80, 2, 0xFF};
  EXPECT_EQ(line_in_3_10(pairs, 10, 2), 10);
  EXPECT_EQ(line_in_3_10(pairs, 10, 4), 12);
  EXPECT_EQ(line_in_3_10(pairs, 10, 10), 0);
  EXPECT_EQ(line_in_3_10(pairs, 10, 12), 11);
  EXPECT_EQ(line_in_3_10(pairs, 10, 100), 0);
  // One line down with columns; the same line, short; long form, two lines up; no location.
  const std::uint8_t entries[] = {
      0x80 | 11 << 3 | 1, 4, 9, 0x80 | 0 << 3 | 0, 0x25, 0x80 | 14 << 3 | 0, 5, 0, 1, 2,
      0x80 | 15 << 3 | 0};
  EXPECT_EQ(line_since_3_11(entries, 10, 0), 11);
  EXPECT_EQ(line_since_3_11(entries, 10, 2), 11);
  EXPECT_EQ(line_since_3_11(entries, 10, 4), 11);
  EXPECT_EQ(line_since_3_11(entries, 10, 6), 9);
  EXPECT_EQ(line_since_3_11(entries, 10, 8), 0);
}

}  // namespace
}  // namespace laptime::torch
