#include "torch_profile.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>
#include <algorithm>
#include <map>

#include <memory>

#include "base/os/file_sink.h"
#include "collect/python/interpreter/string_caster.h"
#include "collect/torch/session_notes.h"
#include "export/kineto.h"
#include "trace/ops/call_site_stacks.h"
#include "trace/torch/torch_averages.h"

namespace nb = nanobind;

namespace laptime::reader {

namespace {

// The notes, with their texts in the run's string table.
TorchNotes notes_in(StringTable& strings, const torch::SessionNotes& session) {
  TorchNotes notes;
  notes.duration_ns = session.details.duration_ns;
  for (const torch::OpDetail& row : session.details.rows)
    notes.notes.push_back(
        {row.thread, row.start_ns, row.id, row.text.empty() ? 0 : strings.add(row.text)});
  for (const auto& [name, start_ns, kind] : session.unended)
    notes.unended.push_back({start_ns, strings.add(name), kind});
  return notes;
}

// A recorded session, loaded.
class Profile {
 public:
  // `from_ns`: spans that ended before it are skipped, because an outer recording may be long.
  Profile(const std::string& path, std::uint64_t link, std::int64_t from_ns, bool call_sites,
          const torch::SessionNotes& notes) {
    const nb::gil_scoped_release released;
    Result<RunContent> content = open_run(path);
    if (!content) throw std::runtime_error(content.error().message);
    for (PartContent& part : content->parts)
      std::erase_if(part.blocks, [&](const Block& block) {
        return block.summary.table != TableType::spans || block.summary.last_ns < from_ns;
      });
    Result<Run> run = load_run(std::move(*content), path);
    if (!run) throw std::runtime_error(run.error().message);
    run_ = std::make_unique<Run>(std::move(*run));
    Result<TorchEvents> events = torch_events(
        *run_, link, call_sites ? CallSites::yes : CallSites::no, notes_in(run_->strings, notes));
    if (!events) throw std::runtime_error(events.error().message);
    events_ = std::move(*events);
    gather_roles();
    // From here on only names, call sites and threads are needed.
    for (Track& track : run_->tracks) track.spans = {};
    number_threads();
  }

  std::size_t size() const { return events_.events.size(); }

  // [(name, calls, cpu, self cpu, kernels, self kernels, cpu bytes, self …, device bytes, self …,
  // flops, shapes, stack,
  //   scope, annotation, on device, first event)]
  nb::list averages(bool by_shapes, std::size_t stack_depth) const {
    std::vector<TorchAverage> rows;
    {
      const nb::gil_scoped_release released;
      rows = torch_averages(*run_, events_, {by_shapes, stack_depth});
    }
    nb::list result;
    for (const TorchAverage& row : rows) {
      const TorchEvent& first = events_.events[row.first];
      result.append(nb::make_tuple(group_name(first), row.calls, row.cpu_ns, row.self_cpu_ns,
                                   row.kernel_ns, row.self_kernel_ns, row.cpu_bytes,
                                   row.self_cpu_bytes, row.device_bytes, row.self_device_bytes,
                                   row.flops, text(first.shapes), stack(first), scope(first),
                                   first.is_annotation(), first.on_device, row.first));
    }
    return result;
  }

  // Event number `row`: (name, trace name, thread, start ns, ns, parent or None, scope, annotation,
  // on device, sequence number, forward thread, shapes, types, stack, cpu bytes, device bytes, own
  // kernel ns, flops, device, details)
  nb::tuple event(std::size_t row) const {
    const TorchEvent& e = events_.events.at(row);
    const bool in_autograd =
        e.link != 0 && (e.kind == SpanKind::op || e.kind == SpanKind::backward);
    const std::uint64_t os_id = run_->tracks[e.track].os_id;  // of a stream: device and number
    return nb::make_tuple(
        group_name(e), event_name(e, *run_), e.on_device ? os_id & 0xFFFF'FFFFu : threads_[e.track],
        e.start_ns, e.duration_ns,
        e.parent == TorchEvent::kNone ? nb::none() : nb::object(nb::int_(e.parent)), scope(e),
        e.is_annotation(), e.on_device, in_autograd ? sequence_number(e.link) : -1,
        e.kind == SpanKind::backward && in_autograd ? forward_thread(e.link) : 0, text(e.shapes),
        text(e.types), stack(e), e.cpu_bytes, e.device_bytes, e.self_kernel_ns, e.flops,
        e.on_device ? os_id >> 32 : 0, text(e.details));
  }

  // [(ns, bytes, address, device)], by time. Negative bytes: released.
  nb::list memory() const {
    nb::list result;
    for (const MemoryInstant& m : events_.memory)
      result.append(nb::make_tuple(m.time_ns, m.bytes, m.address, text(m.device)));
    return result;
  }

  // [(address, role)]. A later one replaces an earlier one.
  nb::list roles() const {
    nb::list result;
    for (const auto& [address, role] : roles_) result.append(nb::make_tuple(address, text(role)));
    return result;
  }

  void export_kineto(const std::string& path, const std::string& trace_name,
                     std::vector<std::pair<std::string, std::string>> metadata, bool stacks,
                     bool modules) const {
    const nb::gil_scoped_release released;
    Result<FileSink> sink = FileSink::create(path);
    Status status =
        sink ? laptime::export_kineto(*run_, events_,
                                      {trace_name, std::move(metadata), stacks, modules}, *sink)
             : Status(tl::unexpected(sink.error()));
    if (status) status = sink->commit();
    if (!status) throw std::runtime_error(status.error().message);
  }

  nb::list warnings() const {
    nb::list result;
    for (const WarningCount& warning : run_->warnings)
      result.append(nb::make_tuple(warning.name, warning.count, warning.message));
    return result;
  }

 private:
  // A thread that ran a forward pass has autograd's number for it.
  void number_threads() {
    threads_.assign(run_->tracks.size(), 0);
    std::uint32_t most = 0;
    for (const TorchEvent& e : events_.events) {
      if (e.kind != SpanKind::op || e.link == 0 || threads_[e.track] != 0) continue;
      threads_[e.track] = forward_thread(e.link);
      most = std::max(most, threads_[e.track]);
    }
    for (std::uint32_t& number : threads_)
      if (number == 0) number = ++most;
  }

  void gather_roles() {
    for (const Track& track : run_->tracks)
      for (std::size_t row = 0; row < track.spans.link.size(); ++row)
        if (track.spans.kind[row] == SpanKind::tensor_role)
          roles_.emplace_back(track.spans.link[row], track.spans.name[row]);
  }

  std::string text(std::uint32_t id) const { return std::string(run_->strings[id]); }
  std::string group_name(const TorchEvent& e) const {
    const std::string name = event_name(e, *run_);
    return name.starts_with(kTorchStepPrefix) ? "ProfilerStep*" : name;
  }
  // Events at one call site share one tuple.
  nb::object stack(const TorchEvent& e) const {
    nb::object& known = stacks_[e.call_site];
    if (!known.is_valid()) known = nb::tuple(nb::cast(stack_at(*run_, e.call_site)));
    return known;
  }
  // at::RecordScope: FUNCTION 0, BACKWARD_FUNCTION 1, USER_SCOPE 7.
  int scope(const TorchEvent& e) const {
    return e.is_annotation() ? 7 : is_backward_node(e, *run_) ? 1 : 0;
  }

  std::unique_ptr<Run> run_;
  TorchEvents events_;
  std::vector<std::uint32_t> threads_;  // by track
  std::vector<std::pair<std::uint64_t, std::uint32_t>> roles_;
  mutable std::map<std::uint32_t, nb::object> stacks_;  // by call site
};

}  // namespace

void bind_torch_profile(nb::module_& module) {
  nb::module_ m = module.def_submodule("torch_events", "What torch.profiler's drop-in reads back.");
  nb::class_<Profile>(m, "Profile")
      .def(nb::init<const std::string&, std::uint64_t, std::int64_t, bool,
                    const torch::SessionNotes&>(),
           nb::arg("path"), nb::arg("link"), nb::arg("from_ns"), nb::arg("call_sites"),
           nb::arg("notes"))
      .def("__len__", &Profile::size)
      .def("averages", &Profile::averages, nb::arg("by_shapes"), nb::arg("stack_depth"))
      .def("event", &Profile::event, nb::arg("row"))
      .def("memory", &Profile::memory)
      .def("roles", &Profile::roles)
      .def("warnings", &Profile::warnings)
      .def("export_kineto", &Profile::export_kineto, nb::arg("path"), nb::arg("trace_name"),
           nb::arg("metadata"), nb::arg("stacks"), nb::arg("modules"));
}

}  // namespace laptime::reader
