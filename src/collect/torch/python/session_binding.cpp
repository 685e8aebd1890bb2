#include "collect/torch/python/session_binding.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "collect/python/interpreter/string_caster.h"
#include "collect/torch/op_recorder.h"
#include "collect/torch/session_notes.h"
#include "record/collector.h"

namespace nb = nanobind;

namespace laptime::torch {

namespace {

// A profile session inside the recording that is on. It is found again in the file by its link.
class ProfileSession {
 public:
  void begin() { start_ = ticks(); }
  std::uint64_t begin_ticks() const { return start_; }
  // Its begin on the clock of the file.
  std::int64_t begin_ns() const { return record::part_ns(start_); }
  // The link. 0 if nothing records any more.
  std::uint64_t end() {
    if (!record::on() || start_ == 0) return 0;
    unended_ = begun_ops();
    const std::uint64_t link = record::new_link();
    record::put_span(
        {.start = start_, .end = ticks(), .name = record::intern("torch.profiler"), .link = link});
    return link;
  }

  // Ops of the thread that called end() that had begun and not ended.
  std::vector<BegunOp> take_unended() { return std::exchange(unended_, {}); }

 private:
  std::uint64_t start_ = 0;
  std::vector<BegunOp> unended_;
};

// Contract: the session has ended, and its recording is on.
SessionNotes notes_of(ProfileSession& session, const OpDetails* details) {
  SessionNotes notes;
  if (details != nullptr) notes.details = *details;
  const std::int64_t begin = session.begin_ns();
  for (const BegunOp& op : session.take_unended())
    notes.unended.push_back(
        {record::name_text(op.name), record::part_ns(op.start) - begin, op.kind});
  return notes;
}

}  // namespace

void bind_sessions(nb::module_& module) {
  nb::module_ m = module.def_submodule("torch_session",
                                       "A profile session of torch.profiler's drop-in, recorded.");
  m.def(
      "part_path", [] { return std::string(record::part_path()); },
      "The file that this process records into, '' when none.");
  nb::class_<ProfileSession>(m, "ProfileSession")
      .def(nb::init<>())
      .def("begin", &ProfileSession::begin)
      .def("begin_ns", &ProfileSession::begin_ns)
      .def("end", &ProfileSession::end)
      .def("begin_ticks", &ProfileSession::begin_ticks);
  nb::class_<SessionNotes>(m, "Notes")
      .def(
          "__init__",
          [](SessionNotes* self, ProfileSession& session, const OpDetails* details) {
            new (self) SessionNotes(notes_of(session, details));
          },
          nb::arg("session"), nb::arg("details").none());
}

}  // namespace laptime::torch
