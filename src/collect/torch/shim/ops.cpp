// laptime's op recorder, the part that sees torch: passes each op's begin and end to laptime's
// module.
//
// Built on the user's machine against the installed torch only: without Python headers and without
// a laptime library. Contract: nothing here throws into torch, and a callback that is off costs
// nothing.
#include <ATen/SequenceNumber.h>
#include <ATen/record_function.h>
#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "collect/torch/op_callbacks.h"
#include "collect/torch/shim/input_visitor.h"
#include "collect/torch/shim/op_state.h"

namespace laptime_shim {

alignas(64) laptime::torch::OpHost op_host;
__thread laptime::torch::OpThread* op_thread = nullptr;

}  // namespace laptime_shim

namespace {

using namespace laptime::torch;
using laptime_shim::op_host;
using laptime_shim::op_thread;

std::atomic<const OpProbe*> probe{nullptr};
enum Callbacks { kPlain, kWithInputs, kReporting, kNone };
at::CallbackHandle handles[kNone];
int running = kNone;

// torch keeps an operator's schema private, and returns its name only by a call that reads it. A
// template's arguments may name private members.
using Descriptor = std::variant<std::string, at::RecordFunction::schema_ref_t>;
template <Descriptor at::RecordFunction::* Member>
struct DescriptorOf {
  friend const Descriptor& descriptor_of(const at::RecordFunction& function) {
    return function.*Member;
  }
};
const Descriptor& descriptor_of(const at::RecordFunction& function);
template struct DescriptorOf<&at::RecordFunction::fn_>;

inline const void* schema_of(const at::RecordFunction& function) {
  const auto* const schema =
      std::get_if<at::RecordFunction::schema_ref_t>(&descriptor_of(function));
  return schema != nullptr ? &schema->get() : nullptr;
}
// The text is zero-terminated.
inline std::string_view name_of(const at::RecordFunction& function) {
  const auto* const text = std::get_if<std::string>(&descriptor_of(function));
  return text != nullptr ? std::string_view(*text) : std::string_view(function.name());
}

inline SeenOp seen(const at::RecordFunction& function) {
  const std::uint64_t forward = function.forwardThreadId();
  return {&function, schema_of(function), function.seqNr(),
          forward != 0 ? forward : function.threadId(),
          static_cast<std::uint32_t>(function.scope())};
}

std::unique_ptr<at::ObserverContext> begin(const at::RecordFunction& function) {
  begin_op(op_host, op_thread, seen(function), [&] { return name_of(function); });
  return nullptr;
}
void end(const at::RecordFunction& function, at::ObserverContext*) {
  end_op(op_host, op_thread, &function);
}

std::unique_ptr<at::ObserverContext> report_begin(const at::RecordFunction& function) {
  const SeenOp op = seen(function);
  if (const OpProbe* const receiver = probe)
    receiver->begin(op.function, name_of(function).data(), op.sequence, op.thread, op.scope);
  return nullptr;
}
// Also called for another thread's op, perhaps after the probe is gone.
void report_end(const at::RecordFunction& function, at::ObserverContext*) {
  if (const OpProbe* const receiver = probe) receiver->end(&function);
}

__attribute__((cold, noinline)) void describe_new_inputs(const at::RecordFunction& function,
                                                         std::uint64_t hash, OpThread& thread,
                                                         OpEntry& entry) {
  InputRoom words(thread.input_words);
  InputVisitor(words, has_numbers(entry)).visit(function.inputs());
  op_host.describe_inputs(thread, entry, hash, words.data(), words.count());
}

inline void describe(const at::RecordFunction& function, OpThread& thread, OpEntry& entry) {
  if (function.inputs().empty()) return;
  leave_flops_to_outer(thread, entry);
  InputHash inputs(static_cast<std::uint64_t>(OpTraits::flops(entry.traits)));
  InputVisitor(inputs, has_numbers(entry)).visit(function.inputs());
  if (!add_known_inputs(thread, entry, inputs.hash())) [[unlikely]]
    describe_new_inputs(function, inputs.hash(), thread, entry);
}

std::unique_ptr<at::ObserverContext> begin_with_inputs(const at::RecordFunction& function) {
  begin_op(
      op_host, op_thread, seen(function), [&] { return name_of(function); },
      [&](OpThread& thread, OpEntry& entry) { describe(function, thread, entry); });
  return nullptr;
}

at::CallbackHandle add(int which) {
  at::RecordFunctionCallback callback(which == kReporting    ? &report_begin
                                      : which == kWithInputs ? &begin_with_inputs
                                                             : &begin,
                                      which == kReporting ? &report_end : &end);
  callback.needsInputs(which == kWithInputs);
  using at::RecordScope;
  callback.scopes({RecordScope::FUNCTION, RecordScope::BACKWARD_FUNCTION,
                   RecordScope::TORCHSCRIPT_FUNCTION, RecordScope::CUSTOM_CLASS,
                   RecordScope::USER_SCOPE, RecordScope::STATIC_RUNTIME_OP,
                   RecordScope::STATIC_RUNTIME_MODEL});
  return at::addGlobalCallback(callback);
}

int off() {
  if (running == kNone) return 0;
  try {
    at::disableCallback(handles[running]);
  } catch (...) {
    return -1;
  }
  running = kNone;
  return 0;
}

int on(int with_inputs) {
  const int which = probe != nullptr ? kReporting : with_inputs != 0 ? kWithInputs : kPlain;
  if (running == which) return 0;
  if (off() != 0) return -1;
  try {
    if (handles[which] == 0)
      handles[which] = add(which);
    else
      at::reenableCallback(handles[which]);
  } catch (...) {
    return -1;
  }
  running = which;
  return 0;
}

std::int64_t peek_sequence() { return static_cast<std::int64_t>(at::sequence_number::peek()); }
std::uint64_t thread_number() { return at::RecordFunction::currentThreadId(); }

void report(const OpProbe* receiver) { probe = receiver; }

const OpShim shim{kShimVersion, &on, &off, &peek_sequence, &thread_number, &report};

}  // namespace

extern "C" __attribute__((visibility("default"))) const OpShim* laptime_torch_ops(
    const OpHost* offered) {
  if (offered->version != kShimVersion) return nullptr;
  op_host = *offered;
  return &shim;
}
