#include "tables/ops/modules.h"

#include <algorithm>
#include <map>

#include "trace/analysis.h"
#include "trace/code/module_path.h"
#include "trace/gpu/gpu_work.h"
#include "trace/ops/op_times.h"
#include "trace/steps/recorded_part.h"
#include "trace/steps/steps.h"

namespace laptime {

namespace {

constexpr const char* kNoModule = "(none)";

struct ModuleTimes {
  OpTimes all;
  std::uint64_t self_ns = 0;
};

// Calls visit with "a.b.c", "a.b" and "a".
template <typename Visit>
void for_each_enclosing(std::string_view path, Visit visit) {
  for (; !path.empty(); path = enclosing_module(path)) visit(path);
}

// The known times of ops, and of GPU work for them.
struct KnownTimes {
  std::vector<OpTimes> times;  // by call site
  bool ops = false, gpu = false;

  explicit KnownTimes(const Analysis& analysis) : times(analysis.op_times()), ops(!times.empty()) {
    const std::vector<std::uint64_t> gpu_ns = gpu_ns_by_call_site(analysis.run(), analysis.gpu());
    gpu = !gpu_ns.empty();
    times.resize(std::max(times.size(), gpu_ns.size()));
    for (std::size_t call_site = 0; call_site < gpu_ns.size(); ++call_site)
      times[call_site].gpu_ns = gpu_ns[call_site];
  }
};

struct ModuleRow {
  std::string_view path;
  const ModuleTimes& times;
  const KnownTimes& known;
  std::uint64_t all_ns;  // of all modules
};

constexpr ColumnOf<ModuleRow> kModuleColumns[] = {
    {"module", "Its path, or `(none)` for ops outside of all modules.",
     [](auto& r) { return r.path; }},
    {"calls", Unit::count, "How many ops it called, itself or through its children.",
     [](auto& r) { return known_if(r.known.ops, r.times.all.calls); }},
    {"forward_ns", Unit::ns, "How long they took forward.",
     [](auto& r) { return known_if(r.known.ops, r.times.all.forward_ns); }},
    {"backward_ns", Unit::ns, "How long their backward took.",
     [](auto& r) { return known_if(r.known.ops, r.times.all.backward_ns); }},
    {"self_ns", Unit::ns, "Forward and backward without the module's children.",
     [](auto& r) { return known_if(r.known.ops, r.times.self_ns); }},
    {"share", Unit::share, "`total_ns` against the time of all ops.",
     [](auto& r) { return ratio(r.times.all.total_ns(), r.all_ns); }},
    {"total_ns", Unit::ns, "Forward and backward.",
     [](auto& r) { return known_if(r.known.ops, r.times.all.total_ns()); }},
    {"gpu_ns", Unit::ns, "What GPUs did for them, forward and backward.",
     [](auto& r) { return known_if(r.known.gpu, r.times.all.gpu_ns); }}};
constexpr TableOf<ModuleRow> kModules{"modules", kModuleColumns};

}  // namespace

Table modules_table(const Analysis& analysis) {
  const Run& run = analysis.run();
  std::map<std::uint32_t, OpTimes> by_name;  // several call sites share a module
  OpTimes sum;
  const KnownTimes known(analysis);
  for (std::size_t call_site = 0; call_site < known.times.size(); ++call_site) {
    if (!known.times[call_site].any()) continue;
    by_name[run.call_sites[call_site].module].add(known.times[call_site]);
    sum.add(known.times[call_site]);
  }
  std::map<std::string, ModuleTimes, std::less<>> modules;
  for (const auto& [name, own] : by_name) {
    const std::string path(name == 0 ? kNoModule : run.strings[name]);
    for_each_enclosing(path, [&, &own = own](std::string_view outer) {
      modules[std::string(outer)].all.add(own);
    });
    modules[path].self_ns += own.total_ns();
  }
  Table table = kModules.empty("Modules" + from_recorded(analysis.run(), analysis.steps()));
  for (const auto& [path, times] : modules)
    kModules.add(table, {path, times, known, sum.total_ns()});
  (void)sort_by(table, "gpu_ns");
  (void)sort_by(table, "total_ns");
  return table;
}

constinit const TableDefinition kModulesTable =
    define_table<kModules>("time of ops by module, forward and backward",
                           R"(
A module's row includes its children: the row `encoder` includes `encoder.0`. Layers of
TensorFlow and Keras are paths with slashes: `sequential` includes `sequential/dense`.)",
                           modules_table);

}  // namespace laptime
