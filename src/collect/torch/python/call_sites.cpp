#include "collect/torch/python/call_sites.h"

#include <pthread.h>
#include <algorithm>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <tuple>

#include "collect/python/interpreter/own_frames.h"
#include "collect/torch/python/code_facts.h"
#include "collect/torch/python/generated_code.h"
#include "collect/torch/python/guarded_call_sites.h"
#include "collect/torch/python/module_paths.h"
#include "collect/torch/python/thread_call_sites.h"
#include "record/collector.h"

namespace laptime::torch {

using python::FrameRef;

namespace {

// raised when remembered entries of threads become invalid
std::atomic<std::uint64_t> generation{1};
std::atomic<bool> frames_kept{false};

// Shared by all threads, behind a lock.
class SharedCallSites {
 public:
  static SharedCallSites& instance() {
    static auto* const made =
        new SharedCallSites;  // never destroyed: ops may run until the process ends
    return *made;
  }

  void configure(const CallSiteRules& rules) {
    const std::lock_guard lock(mutex_);
    user_code_.configure(rules.user_code, nullptr);
    framework_folders_ = rules.framework_folders;
    Py_XINCREF(rules.module_call);
    module_call_ = python::OwnedRef(rules.module_call);
    Py_XINCREF(rules.module_type);
    module_type_ = python::OwnedRef(rules.module_type);
    generation.fetch_add(1, std::memory_order_relaxed);
  }

  Verdict judge(const PyCodeObject* code) {
    if (code == module_call()) return Verdict::calls_module;
    const std::lock_guard lock(mutex_);
    if (generated_.find(file_of(code)) != nullptr) return Verdict::generated;
    if (user_code_.is_user(code, file_of(code)))
      return is_generated(code) ? Verdict::library : Verdict::user;
    return is_package(file_of(code)) && !is_generated(code) ? Verdict::package : Verdict::library;
  }

  // 0 for generated code: the line that it was made from is unknown.
  std::uint32_t call_site(const PyCodeObject* code, int instruction, const PyObject* module,
                          std::uint32_t frame) {
    const std::lock_guard lock(mutex_);
    const auto [code_id, line] =
        source_of(code, static_cast<std::uint32_t>(line_of(code, instruction)));
    if (code_id == 0) return 0;
    const ModuleNumbers::Number number = modules_.number_of(module);
    const std::uint32_t name = modules_.name_of(number);
    if (number == 0 || name != 0) return checked(record::add_call_site(code_id, line, name, frame));
    std::uint32_t& call_site = unnamed_[{number, code_id, line, frame}];
    if (call_site == 0) call_site = checked(record::new_call_site(code_id, line, 0, frame));
    return call_site;
  }
  // A line of a package and the user's line that called it: two frames. 0 if there are too many
  // frames.
  std::uint32_t package_frame(const PyCodeObject* user, int user_instruction,
                              const PyCodeObject* package, int instruction) {
    const std::lock_guard lock(mutex_);
    const auto [code, line] =
        source_of(user, static_cast<std::uint32_t>(line_of(user, user_instruction)));
    const std::uint32_t caller = code != 0 ? record::add_frame(0, code, line) : 0;
    return caller != 0
               ? record::add_frame(caller, codes_.id_of(package),
                                   static_cast<std::uint32_t>(line_of(package, instruction)))
               : 0;
  }
  std::uint32_t frame(std::uint32_t caller, const PyCodeObject* code, int instruction) {
    const std::lock_guard lock(mutex_);
    return record::add_frame(caller, codes_.id_of(code),
                             static_cast<std::uint32_t>(line_of(code, instruction)));
  }

  void add_generated(const std::string& file, const std::vector<GeneratedLine>& lines) {
    const std::lock_guard lock(mutex_);
    std::vector<GeneratedPart> parts;
    for (const GeneratedLine& at : lines)
      parts.push_back({at.first_line,
                       at.line == 0 ? 0 : codes_.id_of(at.file, at.function, at.function_line),
                       at.line});
    generated_.add(file, std::move(parts));
    generation.fetch_add(1, std::memory_order_relaxed);
  }
  std::uint32_t call_site_of(const std::string& file, const std::string& function,
                             int function_line, std::uint32_t line, const std::string& module) {
    const std::lock_guard lock(mutex_);
    const std::uint32_t name = module.empty() ? 0 : record::intern(module);
    return checked(record::add_call_site(codes_.id_of(file, function, function_line), line, name));
  }
  bool is_user(const std::string& file) {
    const std::lock_guard lock(mutex_);
    return user_code_.is_user(file);
  }

  const PyCodeObject* module_call() const {
    return reinterpret_cast<const PyCodeObject*>(module_call_.get());
  }

  void name_modules(bool now) {
    const Unnamed unnamed = take_unnamed(now);
    if (unnamed.numbers.empty()) return;
    const std::vector<std::string> paths =
        find_paths(unnamed.modules, module_type_.get(), &torch::forget_module);
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < paths.size(); ++i) {
      modules_.give_name(unnamed.numbers[i], paths[i]);
      name_call_sites(unnamed.numbers[i]);
    }
    generation.fetch_add(1, std::memory_order_relaxed);
  }

  void forget_module(const PyObject* instance) {
    const std::lock_guard lock(mutex_);
    modules_.forget(instance);
    generation.fetch_add(1, std::memory_order_relaxed);
  }

 private:
  // If the process forks while another thread looks up a call site, the child must find the lock
  // free.
  SharedCallSites() {
    ::pthread_atfork([] { instance().mutex_.lock(); }, [] { instance().mutex_.unlock(); },
                     [] { instance().mutex_.unlock(); });
  }

  bool is_package(const std::string& file) const {
    return !framework_folders_.empty() && python::lies_in_package_folder(file) &&
           std::none_of(framework_folders_.begin(), framework_folders_.end(),
                        [&](const std::string& folder) { return file.starts_with(folder); });
  }
  struct Source {
    std::uint32_t code, line;
  };
  Source source_of(const PyCodeObject* code, std::uint32_t line) {
    const std::vector<GeneratedPart>* const parts = generated_.find(file_of(code));
    if (parts == nullptr) return {codes_.id_of(code), line};
    const GeneratedPart part = part_at(*parts, line);
    const bool is_in_function =
        part.first_line >=
        static_cast<std::uint32_t>(code->co_firstlineno);  // else it belongs to an earlier one
    return is_in_function ? Source{part.code, part.line} : Source{};
  }
  static std::uint32_t checked(std::uint32_t call_site) {
    static const std::uint32_t warning = record::warning_index(
        "too_many_call_sites", Severity::warning, "ops past the limit of call sites have no line");
    if (call_site == 0) record::warn(warning);
    return call_site;
  }
  struct Unnamed {
    std::vector<ModuleNumbers::Number> numbers;
    std::vector<ModuleNumbers::Module> modules;
  };
  Unnamed take_unnamed(bool now) {
    const std::lock_guard lock(mutex_);
    if (modules_.unnamed().empty() || (!now && --rounds_to_skip_ > 0)) return {};
    rounds_to_skip_ = skip_next_ = std::min(2 * skip_next_, 1 << 16);
    Unnamed unnamed{modules_.unnamed(), {}};
    for (const ModuleNumbers::Number number : unnamed.numbers)
      unnamed.modules.push_back(modules_.module(number));
    return unnamed;
  }
  void name_call_sites(ModuleNumbers::Number number) {
    for (auto at = unnamed_.lower_bound({number, 0, 0, 0});
         at != unnamed_.end() && std::get<0>(at->first) == number; at = unnamed_.erase(at))
      record::set_call_site(at->second, std::get<1>(at->first), std::get<2>(at->first),
                            modules_.name_of(number));
  }

  std::mutex mutex_;
  python::UserCode user_code_;
  std::vector<std::string> framework_folders_;
  python::OwnedRef module_call_, module_type_;
  CodeFacts codes_;
  GeneratedCode generated_;
  ModuleNumbers modules_;
  std::map<std::tuple<ModuleNumbers::Number, std::uint32_t, std::uint32_t, std::uint32_t>,
           std::uint32_t>
      unnamed_;  // (module, code, line, frame) -> call site
  int rounds_to_skip_ = 1, skip_next_ = 1;
};

// Null if there is no memory to remember it.
__attribute__((cold, noinline)) const JudgedCode* judge(ThreadCallSites& thread,
                                                        const PyCodeObject* code,
                                                        JudgedCode* known) {
  const JudgedCode judged{code, python::code_identity(code),
                          SharedCallSites::instance().judge(code)};
  return known != nullptr ? &(*known = judged) : thread.codes.add(judged);
}
inline const JudgedCode* judged(ThreadCallSites& thread, const PyCodeObject* code) {
  JudgedCode* const known = thread.codes.find({code});
  return known != nullptr && known->identity == python::code_identity(code)
             ? known
             : judge(thread, code, known);
}

// The innermost frame outside of `frame` that calls a module. Null: none.
inline FrameRef module_frame_outside(const ThreadCallSites& thread, FrameRef frame,
                                     const void* floor) {
  for (frame = python::outer_frame(frame); frame != nullptr && frame != floor;
       frame = python::outer_frame(frame))
    if (python::frame_code(frame) == thread.module_call) return frame;
  return nullptr;
}

// Three frames, each null if there is none: the innermost of the user's code (or of code generated
// from it), the innermost that calls a module, and the package's innermost that the user's code
// called.
struct Caller {
  FrameRef frame;
  Verdict verdict = Verdict::user;
  const PyCodeObject* code = nullptr;
  std::uint64_t identity = 0;  // of the code
  FrameRef module_frame = nullptr;
  FrameRef package_frame = nullptr;
  const PyCodeObject* package_code = nullptr;
  std::uint64_t package_identity = 0;

  const PyObject* module() const {
    return module_frame != nullptr ? python::first_argument(module_frame) : nullptr;
  }
};
inline Caller find_caller(ThreadCallSites& thread, FrameRef innermost, const void* floor) {
  Caller caller{innermost};
  for (; caller.frame != nullptr && caller.frame != floor;
       caller.frame = python::outer_frame(caller.frame)) {
    caller.code = python::frame_code(caller.frame);
    if (caller.code == nullptr) continue;
    const JudgedCode* const known = judged(thread, caller.code);
    if (known == nullptr) break;
    caller.verdict = known->verdict;
    caller.identity = known->identity;
    if (caller.verdict == Verdict::calls_module && caller.module_frame == nullptr)
      caller.module_frame = caller.frame;
    if (caller.verdict == Verdict::package && caller.package_frame == nullptr) {
      caller.package_frame = caller.frame;
      caller.package_code = caller.code;
      caller.package_identity = known->identity;
    }
    if (caller.verdict != Verdict::user && caller.verdict != Verdict::generated) continue;
    if (caller.module_frame == nullptr)
      caller.module_frame = module_frame_outside(thread, caller.frame, floor);
    return caller;
  }
  return {nullptr};
}

std::atomic<bool> python_ends{false};

// The first thread state of an interpreter belongs to the thread that started it.
const PyThreadState* lasting_state() {
  const PyThreadState* const state = PyGILState_GetThisThreadState();
  return state != nullptr && state->id == 1 && !python_ends.load(std::memory_order_acquire)
             ? state
             : nullptr;
}

__attribute__((cold, noinline)) ThreadCallSites* renew(void*& memory, std::uint64_t current) {
  if (memory == nullptr) memory = new (std::nothrow) ThreadCallSites;
  auto* const thread = static_cast<ThreadCallSites*>(memory);
  if (thread == nullptr) return nullptr;
  thread->codes.clear();
  thread->call_sites.clear();
  thread->generation = current;
  thread->module_call = SharedCallSites::instance().module_call();
  thread->state = lasting_state();
  return thread;
}

const void* innermost() {
  const PyThreadState* const state = PyGILState_GetThisThreadState();
  return state != nullptr ? python::innermost_frame(state) : nullptr;
}

// 0 if frames are not kept.
std::uint32_t frames_from(ThreadCallSites& thread, FrameRef innermost, const void* floor) {
  if (!frames_kept.load(std::memory_order_relaxed)) [[likely]]
    return 0;
  if (!thread.frames) thread.frames.reset(new (std::nothrow) CallFrames);
  if (!thread.frames) return 0;
  // Module.__call__ is before every forward(), and carries no information.
  return thread.frames->find(innermost, floor, thread.module_call,
                             [](std::uint32_t caller, const PyCodeObject* code, int instruction) {
                               return SharedCallSites::instance().frame(caller, code, instruction);
                             });
}

std::uint32_t call_site_of(ThreadCallSites& thread, const Caller& caller, std::uint32_t frame) {
  KnownCallSite::Key key{caller.identity, caller.module(),
                         python::frame_instruction(caller.frame, caller.code), frame};
  if (frame == 0 &&
      caller.package_frame != nullptr) {  // if all frames are kept, they include the package's
    key.package = caller.package_identity;
    key.package_instruction = python::frame_instruction(caller.package_frame, caller.package_code);
  }
  if (const KnownCallSite* const known = thread.call_sites.find(key)) [[likely]]
    return known->call_site;
  SharedCallSites& shared = SharedCallSites::instance();
  const std::uint32_t kept =
      key.package == 0 ? frame
                       : shared.package_frame(caller.code, key.instruction, caller.package_code,
                                              key.package_instruction);
  const std::uint32_t call_site = shared.call_site(caller.code, key.instruction, key.module, kept);
  (void)thread.call_sites.add({key, call_site, true});
  return call_site;
}

std::uint32_t call_site(void*& memory, const void* floor, CallSiteGuards* guards) {
  auto* thread = static_cast<ThreadCallSites*>(memory);
  const std::uint64_t current = generation.load(std::memory_order_relaxed);
  if (thread == nullptr || thread->generation != current) [[unlikely]] {
    thread = renew(memory, current);
    if (thread == nullptr) return 0;
  }
  const PyThreadState* const state =
      thread->state != nullptr ? thread->state : PyGILState_GetThisThreadState();
  if (state == nullptr) [[unlikely]]
    return 0;
  const FrameRef innermost = python::innermost_frame(state);
  const std::uint32_t frame = frames_from(*thread, innermost, floor);
  Caller caller{innermost};
  std::uint32_t call_site = 0;
  for (FrameRef from = innermost; call_site == 0; from = python::outer_frame(caller.frame)) {
    caller = find_caller(*thread, from, floor);
    if (caller.frame == nullptr) return 0;
    call_site = call_site_of(*thread, caller, frame);
    if (caller.verdict == Verdict::user) break;
  }
  // Guards cover the user's frame and the module's, not all frames.
  if (guards != nullptr && frame == 0 && state == thread->state && caller.frame == innermost &&
      generation.load(std::memory_order_relaxed) == current)
    GuardedCallSites(*guards, generation, state).keep(call_site, caller.frame, caller.module_frame);
  return call_site;
}

}  // namespace

void configure_call_sites(const CallSiteRules& rules) {
  SharedCallSites::instance().configure(rules);
}

void keep_frames(bool on) {
  if (frames_kept.exchange(on, std::memory_order_relaxed) != on)
    generation.fetch_add(1, std::memory_order_relaxed);
}

CallSiteSource python_call_sites() {
  return {&innermost, &call_site,
          [](void* memory) { delete static_cast<ThreadCallSites*>(memory); }};
}

std::uint32_t call_site_here() {
  struct Memory {
    void* call_sites = nullptr;
    ~Memory() { delete static_cast<ThreadCallSites*>(call_sites); }
  };
  thread_local Memory memory;
  return call_site(memory.call_sites, nullptr, nullptr);
}

void name_modules(bool now) {
  if (Py_IsInitialized() && PyGILState_Check()) SharedCallSites::instance().name_modules(now);
}

void python_will_end() {
  python_ends.store(true, std::memory_order_release);
  generation.fetch_add(1, std::memory_order_release);
}

void forget_module(const PyObject* instance) {
  SharedCallSites::instance().forget_module(instance);
}

void add_generated_code(const std::string& file, const std::vector<GeneratedLine>& lines) {
  SharedCallSites::instance().add_generated(file, lines);
}

std::uint32_t call_site_of_line(const std::string& file, const std::string& function,
                                int function_line, std::uint32_t line, const std::string& module) {
  return SharedCallSites::instance().call_site_of(file, function, function_line, line, module);
}

bool is_user_code(const std::string& file) { return SharedCallSites::instance().is_user(file); }

}  // namespace laptime::torch
