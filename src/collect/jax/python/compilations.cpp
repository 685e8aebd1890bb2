#include "collect/jax/python/compilations.h"

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "base/clock.h"
#include "collect/python/interpreter/string_caster.h"
#include "collect/torch/python/call_sites.h"
#include "record/collector.h"

namespace nb = nanobind;

namespace laptime::jax {

namespace {

// A compilation that began at `start` and ends now, at the program's line.
void put_compilation(const std::string& name, std::uint64_t start, const nb::dict& strings) {
  if (start == 0) return;
  std::vector<record::Arg> arguments;
  if (const std::uint32_t line = torch::call_site_here())
    arguments.push_back({ArgKey::call_site, ArgType::call_site, line});
  for (const auto& [key, value] : strings)
    arguments.push_back({named_key(record::intern(nb::cast<std::string>(key))), ArgType::string,
                         record::intern(nb::cast<std::string>(value))});
  record::put_span(
      {.start = start, .end = ticks(), .name = record::intern(name), .kind = SpanKind::compile},
      arguments.data(), static_cast<std::uint32_t>(arguments.size()));
}

std::uint32_t code_of(const std::string& file, const std::string& function,
                      std::uint32_t first_line) {
  static auto* const codes =
      new std::map<std::tuple<std::uint32_t, std::string, std::string, std::uint32_t>,
                   std::uint32_t>;
  std::uint32_t& code = (*codes)[{record::epoch(), file, function, first_line}];
  if (code == 0) code = record::add_code(file, function, first_line, 0);
  return code;
}

// A line of the program, in a layer; "": none.
std::uint32_t call_site(const std::string& file, const std::string& function,
                        std::uint32_t first_line, std::uint32_t line, const std::string& layer) {
  return record::add_call_site(code_of(file, function, first_line), line,
                               layer.empty() ? 0 : record::intern(layer));
}

}  // namespace

void bind_compilations(nb::module_& module) {
  module.def("put_compilation", &put_compilation, nb::arg("name"), nb::arg("start"),
             nb::arg("strings"));
  module.def("call_site", &call_site, nb::arg("file"), nb::arg("function"), nb::arg("first_line"),
             nb::arg("line"), nb::arg("layer"));
}

}  // namespace laptime::jax
