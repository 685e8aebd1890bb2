#include "collect/python/code/source_keeper.h"

#include <utility>

#include "collect/python/code/command_code.h"
#include "collect/python/interpreter/python_text.h"
#include "collect/python/thread_slot.h"
#include "record/collector.h"

namespace laptime::python {

SourceKeeper& SourceKeeper::instance() {
  static auto* keeper = new SourceKeeper;
  return *keeper;
}

void SourceKeeper::start(UserCode::Rules rules, PyObject* reader) {
  user_code_.configure(std::move(rules), nullptr);
  Py_INCREF(reader);
  reader_ = OwnedRef(reader);
  next_file_ = 0;
}

void SourceKeeper::stop() { reader_ = OwnedRef(); }

void SourceKeeper::after_fork() {
  busy_ = false;  // set by a thread that does not exist in the child
  forked_ = record::on() && epoch_ == record::epoch();
}

void SourceKeeper::keep(const std::string& file, bool loaded_just_now) {
  if (!reader_ || busy_ || !record::on()) return;
  follow_recording();
  const bool is_command = file == kCommandFile && has_command_code();
  if (!(is_command || user_code_.is_user(file)) || !seen_.insert(file).second) return;
  read(file, loaded_just_now);
}

void SourceKeeper::keep_new() {
  if (!reader_ || !record::on()) return;
  follow_recording();
  while (!busy_) {
    const char* file = record::code_file(next_file_);
    if (file == nullptr) return;
    ++next_file_;
    keep(file, false);
  }
}

// A later recording of this process has none of the earlier one's facts.
void SourceKeeper::follow_recording() {
  if (epoch_ == record::epoch()) return;
  epoch_ = record::epoch();
  if (!std::exchange(forked_, false)) record::repeat_sources();
}

void SourceKeeper::read(const std::string& file, bool loaded_just_now) {
  const ErrorGuard guard;
  ThreadSlot* const slot = ThreadSlots::current();
  const bool outer = std::exchange(slot->inside_engine, true);
  busy_ = true;
  const OwnedRef text(PyObject_CallFunction(reader_.get(), "Ni", text_from(file),
                                            static_cast<int>(loaded_just_now)));
  busy_ = false;
  slot->inside_engine = outer;
  PyErr_Clear();
  if (text && PyBytes_Check(text.get())) {
    record::add_source(file, {PyBytes_AS_STRING(text.get()),
                              static_cast<std::size_t>(PyBytes_GET_SIZE(text.get()))});
  } else if (text.get() == Py_False) {
    record::warn_source_left_out();
  }
}

}  // namespace laptime::python
