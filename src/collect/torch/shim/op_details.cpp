// Notes what only a torch.profiler-like API shows of ops, besides their records: torch's op
// numbers, module hierarchies of TorchScript, strides and values of inputs. It is a callback of its
// own, so ops cost nothing more when it is not requested.
//
// Contract: nothing here throws into torch.
#include <ATen/record_function.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <torch/csrc/jit/runtime/interpreter.h>
#include <unistd.h>

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "collect/torch/details_abi.h"
#include "collect/torch/shim/detail_texts.h"
#include "collect/torch/shim/op_state.h"
#include "collect/torch/shim/profiler_state.h"

// Exported by torch. Its own header includes all of torch's profiler.
namespace torch::profiler::impl {
bool get_record_concrete_inputs_enabled();
}

namespace {

struct Note {
  std::uint64_t thread, start, id;
  const std::string* text;
};

// Never destroyed: torch may call while the process ends.
struct Notes {
  // If the process forks while another thread notes, the child must find the lock free.
  Notes();

  std::mutex mutex;
  std::vector<Note> rows;
  std::unordered_map<std::string, bool> texts;  // stable addresses
};
Notes& notes() {
  static auto* const made = new Notes;
  return *made;
}

Notes::Notes() {
  ::pthread_atfork([] { notes().mutex.lock(); }, [] { notes().mutex.unlock(); },
                   [] { notes().mutex.unlock(); });
}

unsigned wanted = 0;
at::CallbackHandle handle = 0;

std::uint64_t thread_id() {
  static thread_local const auto id = static_cast<std::uint64_t>(::syscall(SYS_gettid));
  return id;
}

std::string text_of(const at::RecordFunction& function) {
  std::string text;
  if ((wanted & LAPTIME_DETAIL_MODULES) != 0 && function.scope() != at::RecordScope::USER_SCOPE) {
    std::string path;
    for (const std::string& part : torch::jit::currentModuleHierarchy()) path += part + ".";
    if (!path.empty())
      laptime_shim::add_member("Module Hierarchy", laptime_shim::quoted(path), text);
  }
  if ((wanted & LAPTIME_DETAIL_INPUTS) != 0) {
    laptime_shim::add_inputs(function, torch::profiler::impl::get_record_concrete_inputs_enabled(),
                             text);
    laptime_shim::add_keywords(function, text);
  }
  return text;
}

std::unique_ptr<at::ObserverContext> begin(const at::RecordFunction& function) {
  const auto* const thread = laptime_shim::op_thread;
  if (thread == nullptr || thread->next == thread->first || thread->next[-1].function != &function)
    return nullptr;
  try {
    std::string text = text_of(function);
    Notes& all = notes();
    const std::lock_guard lock(all.mutex);
    const std::string* kept =
        text.empty() ? nullptr : &all.texts.try_emplace(std::move(text)).first->first;
    all.rows.push_back({thread_id(), thread->next[-1].start, function.handle(), kept});
  } catch (...) {  // out of memory, or a tensor without strides: the op is recorded all the same
  }
  return nullptr;
}

int needs_ids() {
  const auto callbacks = at::getStepCallbacksUnlessEmpty(at::RecordScope::FUNCTION);
  return callbacks.has_value() && callbacks->needs_ids_ ? 1 : 0;
}

int on(unsigned what) {
  try {
    wanted = what;
    at::RecordFunctionCallback callback(&begin);
    callback.needsInputs((what & LAPTIME_DETAIL_INPUTS) != 0)
        .needsIds((what & LAPTIME_DETAIL_IDS) != 0);
    using at::RecordScope;
    callback.scopes({RecordScope::FUNCTION, RecordScope::BACKWARD_FUNCTION,
                     RecordScope::TORCHSCRIPT_FUNCTION, RecordScope::CUSTOM_CLASS,
                     RecordScope::USER_SCOPE, RecordScope::STATIC_RUNTIME_OP,
                     RecordScope::STATIC_RUNTIME_MODEL});
    handle = at::addGlobalCallback(callback);
    return 0;
  } catch (...) {
    return -1;
  }
}

void off(void* receiver, void (*receive)(void*, const LaptimeOpDetail*)) {
  try {
    if (handle != 0) at::removeCallback(handle);
  } catch (...) {
  }
  handle = 0;
  Notes& all = notes();
  const std::lock_guard lock(all.mutex);
  for (const Note& note : all.rows) {
    const LaptimeOpDetail detail{note.thread, note.start, note.id,
                                 note.text ? note.text->data() : "",
                                 note.text ? note.text->size() : 0};
    receive(receiver, &detail);
  }
  all.rows.clear();
  all.texts.clear();
}

const LaptimeDetailsShim shim{LAPTIME_DETAILS_VERSION,
                              &laptime_shim::enter_profiler,
                              &laptime_shim::leave_profiler,
                              &needs_ids,
                              &on,
                              &off};

}  // namespace

extern "C" __attribute__((visibility("default"))) const LaptimeDetailsShim*
laptime_torch_details() {
  return &shim;
}
