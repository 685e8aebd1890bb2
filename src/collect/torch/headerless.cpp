#include "collect/torch/headerless.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <mutex>
#include <vector>

#include "collect/torch/op_callbacks.h"

namespace laptime::torch {

namespace {

struct Function;  // at::RecordFunction
// std::unique_ptr<at::ObserverContext>, always null. It is not trivial, so it is returned the same
// way as a unique_ptr.
struct NoContext {
  void* none = nullptr;
  NoContext() = default;
  NoContext(const NoContext&) = delete;
  ~NoContext() {}
};
// at::RecordFunctionCallback.
struct Callback {
  NoContext (*start)(const Function&);
  void (*end)(const Function&, void* context);
  double sampling = 1.0;
  std::array<bool, 10> scopes{};
  bool needs_inputs = false, needs_outputs = false, needs_ids = false;
};
static_assert(sizeof(Callback) == 40);

struct Torch {
  std::uint64_t (*add)(Callback);
  void (*remove)(std::uint64_t handle);
  const char* (*name)(const Function*);
  std::uint64_t (*peek)();
  std::uint64_t (*thread)();
} torch_functions;

constexpr std::size_t kWords = 64;  // words of a RecordFunction that are searched
// The distance from the sequence number to the forward thread's number: the inputs (16), keyword
// inputs (56) and outputs (24) lie between.
constexpr std::size_t kSequenceToForward = 8 + 16 + 56 + 24;

struct Layout {
  std::size_t sequence = 0, thread = 0, scope = 0, forward = 0;  // bytes
} layout;

std::uint64_t word_at(const Function& function, std::size_t offset) {
  std::uint64_t word;
  std::memcpy(&word, reinterpret_cast<const char*>(&function) + offset, sizeof word);
  return word;
}

// ---- Calibration: find the words that always equal torch's own answers. ----
struct Sighting {
  std::array<std::uint64_t, kWords> words;
  std::uint64_t sequence, thread;
};
struct Calibration {
  std::mutex mutex;
  std::vector<Sighting> seen;
  std::uint64_t handle = 0;
} calibration;

NoContext note(const Function& function) {
  if (std::strcmp(torch_functions.name(&function), "aten::mul") != 0) return {};
  Sighting sighting{{}, torch_functions.peek(), torch_functions.thread()};
  std::memcpy(sighting.words.data(), &function, sizeof sighting.words);
  const std::lock_guard lock(calibration.mutex);
  if (calibration.seen.size() < 64) calibration.seen.push_back(sighting);
  return {};
}
void ignore_end(const Function&, void*) {}

// The only word that equals `expected` in all sightings. kWords if there is none, or several.
std::size_t only_word(std::uint64_t Sighting::* expected) {
  std::size_t found = kWords;
  for (std::size_t i = 0; i < kWords; ++i) {
    const bool always = std::all_of(
        calibration.seen.begin(), calibration.seen.end(),
        [&](const Sighting& sighting) { return sighting.words[i] == sighting.*expected; });
    if (always && found != kWords) return kWords;
    if (always) found = i;
  }
  return found;
}

bool differ(std::uint64_t Sighting::* value) {
  const auto& seen = calibration.seen;
  return std::any_of(seen.begin(), seen.end(), [&](const Sighting& sighting) {
    return sighting.*value != seen.front().*value;
  });
}

// ---- Recording ----
OpHost host;
std::atomic<const OpProbe*> probe{nullptr};
std::uint64_t running = 0;
bool reporting = false;  // what runs
__thread OpThread* this_thread __attribute__((tls_model("initial-exec"))) = nullptr;

SeenOp seen(const Function& function) {
  constexpr std::uint64_t kMostThreads = 1u << 20;
  const std::uint64_t forward = word_at(function, layout.forward);
  return {&function, nullptr, static_cast<std::int64_t>(word_at(function, layout.sequence)),
          forward != 0 && forward < kMostThreads ? forward : word_at(function, layout.thread),
          static_cast<std::uint32_t>(word_at(function, layout.scope) & 0xFF)};
}

NoContext begin(const Function& function) {
  begin_op(host, this_thread, seen(function),
           [&function] { return std::string_view(torch_functions.name(&function)); });
  return {};
}
void end(const Function& function, void*) { end_op(host, this_thread, &function); }

NoContext report_begin(const Function& function) {
  const SeenOp op = seen(function);
  if (const OpProbe* const receiver = probe)
    receiver->begin(op.function, torch_functions.name(&function), op.sequence, op.thread, op.scope);
  return {};
}
// Also called for another thread's op, perhaps after the probe is gone.
void report_end(const Function& function, void*) {
  if (const OpProbe* const receiver = probe) receiver->end(&function);
}

Callback all_scopes(NoContext (*start)(const Function&), void (*end)(const Function&, void*)) {
  Callback callback{start, end};
  for (const std::uint32_t scope : {0u, 1u, 2u, 4u, 7u, 8u, 9u}) callback.scopes[scope] = true;
  return callback;
}

int off() {
  if (running == 0) return 0;
  torch_functions.remove(running);
  running = 0;
  return 0;
}

int on(int) {
  const bool reports = probe != nullptr;
  if (running != 0 && reporting == reports) return 0;
  if (off() != 0) return -1;
  reporting = reports;
  running = torch_functions.add(reports ? all_scopes(&report_begin, &report_end)
                                        : all_scopes(&begin, &end));
  return 0;
}

std::int64_t peek_sequence() { return static_cast<std::int64_t>(torch_functions.peek()); }
std::uint64_t thread_number() { return torch_functions.thread(); }
void report(const OpProbe* receiver) { probe = receiver; }

}  // namespace

std::string find_torch() {
  void* const library = ::dlopen("libtorch_cpu.so", RTLD_NOLOAD | RTLD_LAZY);
  if (library == nullptr) return "libtorch_cpu.so is not loaded";
  const auto find = [&](auto& function, const char* symbol) {
    function =
        reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(library, symbol));
    return function != nullptr;
  };
  Torch& torch = torch_functions;
  const bool all = find(torch.add, "_ZN2at17addGlobalCallbackENS_22RecordFunctionCallbackE") &&
                   find(torch.remove, "_ZN2at14removeCallbackEm") &&
                   find(torch.name, "_ZNK2at14RecordFunction4nameEv") &&
                   find(torch.peek, "_ZN2at15sequence_number4peekEv") &&
                   find(torch.thread, "_ZN2at14RecordFunction15currentThreadIdEv");
  return all ? "" : "torch lacks some of the required functions";
}

std::string start_calibration() {
  if (std::string problem = find_torch(); !problem.empty()) return problem;
  calibration.seen.clear();
  calibration.handle = torch_functions.add(all_scopes(&note, &ignore_end));
  return "";
}

std::string stop_calibration() {
  torch_functions.remove(calibration.handle);
  const std::lock_guard lock(calibration.mutex);
  if (calibration.seen.size() < 4 || !differ(&Sighting::sequence) || !differ(&Sighting::thread))
    return "too few ops were seen";
  const std::size_t sequence = only_word(&Sighting::sequence),
                    thread = only_word(&Sighting::thread);
  if (sequence == kWords || thread == kWords) return "the layout of torch's objects is unknown";
  layout = {sequence * 8, thread * 8, (thread + 1) * 8, sequence * 8 + kSequenceToForward};
  return "";
}

const OpShim* open_headerless(const OpHost* offered) {
  static const OpShim shim{kShimVersion, &on, &off, &peek_sequence, &thread_number, &report};
  host = *offered;
  return &shim;
}

}  // namespace laptime::torch
