// laptime's op recorder, the part that sees torch: hands each op's begin and end to laptime's module.
//
// Built on the user's machine against the torch that is installed there, with nothing else: no Python headers, no laptime
// library. Contract: nothing here throws into torch, and a callback that is off costs nothing.
#include <ATen/SequenceNumber.h>
#include <ATen/record_function.h>
#include <memory>
#include <string>
#include <variant>

#include "collect/torch/op_callbacks.h"

namespace {

using namespace laptime::torch;

alignas(64) OpHost host;  // one cache line holds what every op looks at
const OpProbe* probe = nullptr;
enum Callbacks { kPlain, kWithInputs, kTelling, kNone };
at::CallbackHandle handles[kNone];
int running = kNone;
__thread OpThread* this_thread __attribute__((tls_model("initial-exec"))) = nullptr;

// torch keeps an operator's schema to itself, and tells its name by a call that reads it. A template's arguments may name what is private.
using Descriptor = std::variant<std::string, at::RecordFunction::schema_ref_t>;
template <Descriptor at::RecordFunction::* Member>
struct DescriptorOf {
  friend const Descriptor& descriptor_of(const at::RecordFunction& function) { return function.*Member; }
};
const Descriptor& descriptor_of(const at::RecordFunction& function);
template struct DescriptorOf<&at::RecordFunction::fn_>;

inline const void* schema_of(const at::RecordFunction& function) {
  const auto* const schema = std::get_if<at::RecordFunction::schema_ref_t>(&descriptor_of(function));
  return schema != nullptr ? &schema->get() : nullptr;
}
inline const char* name_of(const at::RecordFunction& function) {
  const auto* const text = std::get_if<std::string>(&descriptor_of(function));
  return text != nullptr ? text->c_str() : function.name();
}

inline SeenOp seen(const at::RecordFunction& function) {
  const std::uint64_t forward = function.forwardThreadId();
  return {&function, schema_of(function), function.seqNr(), forward != 0 ? forward : function.threadId(),
          static_cast<std::uint32_t>(function.scope())};
}

std::unique_ptr<at::ObserverContext> begin(const at::RecordFunction& function) {
  begin_op(host, this_thread, seen(function), [&] { return name_of(function); });
  return nullptr;
}
void end(const at::RecordFunction& function, at::ObserverContext*) { end_op(host, this_thread, &function); }

std::unique_ptr<at::ObserverContext> tell_begin(const at::RecordFunction& function) {
  const SeenOp op = seen(function);
  probe->begin(op.function, name_of(function), op.sequence, op.thread, op.scope);
  return nullptr;
}
void tell_end(const at::RecordFunction& function, at::ObserverContext*) { probe->end(&function); }

// A description of the inputs within a fixed room; what does not fit is left out, whole inputs at a time.
class InputWords {
 public:
  // `numbers`: integers' values too; else they would only make alike what is alike look different.
  InputWords(std::int64_t (&room)[OpThread::kInputWords], bool numbers) : words_(room), numbers_(numbers) {}

  void add(const c10::IValue& value) {
    const std::uint32_t before = count_;
    put(value);
    if (full_) count_ = before;
  }
  const std::int64_t* data() const { return words_; }
  std::uint32_t count() const { return count_; }

 private:
  void word(std::int64_t value) {
    if (count_ < OpThread::kInputWords)
      words_[count_++] = value;
    else
      full_ = true;
  }
  void head(InputKind kind, std::size_t numbers, int type = 0) {
    word(static_cast<std::int64_t>(numbers) << 16 | static_cast<std::int64_t>(type & 0xFF) << 8 | static_cast<std::int64_t>(kind));
  }
  // By address, here and below: a tensor that is copied is counted, by two atomic operations.
  void tensor(const c10::IValue& value) {
    const c10::TensorImpl* const impl = value.unsafeToTensorImpl();
    if (impl == c10::UndefinedTensorImpl::singleton() || impl->is_nested() || impl->has_symbolic_sizes_strides()) return head(InputKind::other, 0);
    const c10::IntArrayRef sizes = impl->sizes();
    head(InputKind::tensor, sizes.size(), static_cast<int>(c10::typeMetaToScalarType(impl->dtype())));
    for (const std::int64_t size : sizes) word(size);
  }
  void tensors(c10::ArrayRef<c10::IValue> list) {
    head(InputKind::tensor_list, list.size());
    for (std::size_t i = 0; i < list.size() && !full_; ++i) tensor(list[i]);
  }
  void put(const c10::IValue& value) {
    if (value.isTensor()) return tensor(value);
    if (value.isInt()) {
      head(InputKind::integer, numbers_ ? 1 : 0);
      if (numbers_) word(value.toInt());
      return;
    }
    if (value.isIntList()) {
      if (!numbers_) return head(InputKind::integers, 0);
      const c10::ArrayRef<c10::IValue> list = value.toListRef();
      head(InputKind::integers, list.size());
      for (const c10::IValue& number : list) word(number.toInt());
      return;
    }
    if (value.isTensorList()) return tensors(value.toListRef());
    if (value.isDoubleList() || value.isBoolList()) return head(InputKind::scalars, 0);
    head(value.isScalar() || value.isBool() ? InputKind::scalar : InputKind::other, 0);
  }

  std::int64_t* words_;
  std::uint32_t count_ = 0;
  bool numbers_;
  bool full_ = false;
};

std::unique_ptr<at::ObserverContext> begin_with_inputs(const at::RecordFunction& function) {
  begin_op(host, this_thread, seen(function), [&] { return name_of(function); }, [&](OpThread& thread, OpEntry& entry) {
    InputWords inputs(thread.input_words, OpTraits::flops(entry.traits) != FlopRule::none);
    try {
      for (const c10::IValue& value : function.inputs()) inputs.add(value);
    } catch (...) {  // a subclass of tensor without sizes: what was read until then counts
    }
    if (inputs.count() != 0) host.describe_inputs(thread, entry, inputs.data(), inputs.count());
  });
  return nullptr;
}

at::CallbackHandle add(int which) {
  at::RecordFunctionCallback callback(which == kTelling ? &tell_begin : which == kWithInputs ? &begin_with_inputs : &begin,
                                      which == kTelling ? &tell_end : &end);
  callback.needsInputs(which == kWithInputs);
  using at::RecordScope;
  callback.scopes({RecordScope::FUNCTION, RecordScope::BACKWARD_FUNCTION, RecordScope::TORCHSCRIPT_FUNCTION, RecordScope::CUSTOM_CLASS,
                   RecordScope::USER_SCOPE, RecordScope::STATIC_RUNTIME_OP, RecordScope::STATIC_RUNTIME_MODEL});
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
  const int which = probe != nullptr ? kTelling : with_inputs != 0 ? kWithInputs : kPlain;
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

void tell(const OpProbe* told) { probe = told; }

const OpShim shim{kShimVersion, &on, &off, &peek_sequence, &thread_number, &tell};

}  // namespace

extern "C" __attribute__((visibility("default"))) const OpShim* laptime_torch_ops(const OpHost* offered) {
  if (offered->version != kShimVersion) return nullptr;
  host = *offered;
  return &shim;
}
