#include "collect/jax/python/wait_hooks.h"

#include <string>

#include "base/clock.h"
#include "collect/jax/python/last_event.h"
#include "collect/python/interpreter/string_caster.h"
#include "collect/torch/python/call_sites.h"
#include "laptime/laptime.h"
#include "record/collector.h"

namespace nb = nanobind;

namespace laptime::jax {

namespace {

struct ThreadWaits {
  int depth = 0;
  std::uint64_t start = 0;  // of the outermost
};
thread_local ThreadWaits waits;

void begin_wait() {
  if (waits.depth++ == 0) waits.start = laptime_begin();
}

void end_wait(std::uint32_t name, bool succeeded) {
  if (waits.depth == 0 || --waits.depth > 0 || waits.start == 0 || !succeeded) return;
  const std::uint64_t end = ticks();
  note_event(end);
  const std::uint32_t line = torch::call_site_here();
  const record::Arg argument{ArgKey::call_site, ArgType::call_site, line};
  record::put_span({.start = waits.start, .end = end, .name = name, .kind = SpanKind::wait},
                   &argument, line != 0 ? 1 : 0);
}

class Wait {
 public:
  explicit Wait(const std::string& name) : name_(record::intern(name)) {}
  void began(nb::handle) const { begin_wait(); }
  void ended(nb::handle, nb::handle, nb::handle raised) const { end_wait(name_, raised.is_none()); }

 private:
  std::uint32_t name_;
};

// np.asarray reads the memory of an array on the CPU by the buffer protocol, which waits for it.
getbufferproc original_buffer = nullptr;
std::uint32_t buffer_name = 0;

int wait_for_buffer(PyObject* array, Py_buffer* view, int flags) {
  begin_wait();
  const int result = original_buffer(array, view, flags);
  end_wait(buffer_name, result == 0);
  return result;
}

void see_buffers(nb::handle array_type, const std::string& name) {
  PyBufferProcs* const buffer = reinterpret_cast<PyTypeObject*>(array_type.ptr())->tp_as_buffer;
  if (buffer == nullptr || buffer->bf_getbuffer == nullptr ||
      buffer->bf_getbuffer == &wait_for_buffer)
    return;
  buffer_name = record::intern(name);
  original_buffer = buffer->bf_getbuffer;
  buffer->bf_getbuffer = &wait_for_buffer;
}

void leave_buffers(nb::handle array_type) {
  PyBufferProcs* const buffer = reinterpret_cast<PyTypeObject*>(array_type.ptr())->tp_as_buffer;
  if (buffer != nullptr && buffer->bf_getbuffer == &wait_for_buffer)
    buffer->bf_getbuffer = original_buffer;
}

}  // namespace

void bind_wait_hooks(nb::module_& module) {
  nb::class_<Wait>(module, "Wait")
      .def(nb::init<const std::string&>(), nb::arg("name"))
      .def("began", &Wait::began, nb::arg("first").none())
      .def("ended", &Wait::ended, nb::arg("first").none(), nb::arg("result").none(),
           nb::arg("raised").none());
  module.def("see_buffers", &see_buffers, nb::arg("array_type"), nb::arg("name"));
  module.def("leave_buffers", &leave_buffers, nb::arg("array_type"));
}

}  // namespace laptime::jax
