#include "export/pstats.h"

#include <map>

#include "base/utf8.h"
#include "export/byte_stream.h"
#include "trace/code/call_graph.h"

namespace laptime {

namespace {

constexpr std::uint8_t kRefFlag = 0x80;

class MarshalWriter {
 public:
  explicit MarshalWriter(Sink& sink) : out_(sink) {}

  void begin_map() { out_.u8('{'); }
  void end_map() { out_.u8('0'); }
  void begin_tuple(std::uint8_t size) {
    out_.u8(')');
    out_.u8(size);
  }
  void integer(std::uint64_t n) {
    if (n <= INT32_MAX) {
      out_.u8('i');
      out_.little_endian(static_cast<std::uint32_t>(n));
      return;
    }
    out_.u8('l');
    std::uint32_t digits = 0;
    for (std::uint64_t rest = n; rest; rest >>= 15) ++digits;
    out_.little_endian(digits);
    for (; digits > 0; --digits, n >>= 15)
      out_.little_endian(static_cast<std::uint16_t>(n & 0x7fff));
  }
  void seconds(std::uint64_t ns) {
    out_.u8('g');
    out_.little_endian(static_cast<double>(ns) * 1e-9);
  }
  void text(std::string_view text) {
    const std::string valid = make_valid_utf8(text);
    out_.u8('u');
    out_.little_endian(static_cast<std::uint32_t>(valid.size()));
    out_.append(valid);
  }
  // (file, line, name), written once and referred to afterwards.
  void label(const Run& run, std::uint32_t code) {
    if (const auto [it, is_new] =
            labels_.try_emplace(code, static_cast<std::uint32_t>(labels_.size()));
        !is_new) {
      out_.u8('r');
      out_.little_endian(it->second);
      return;
    }
    out_.u8(')' | kRefFlag);
    out_.u8(3);
    text(run.strings[run.codes[code].file]);
    integer(run.codes[code].first_line);
    text(run.strings[run.codes[code].name]);
  }
  Status finish() { return out_.finish(); }

 private:
  SinkWriter out_;
  std::map<std::uint32_t, std::uint32_t> labels_;
};

void write_function(MarshalWriter& out, const Run& run, const CallGraph& graph,
                    const Function& function) {
  const CallTotals& totals = function.totals;
  out.label(run, function.code);
  out.begin_tuple(5);
  out.integer(totals.primitive_calls);
  out.integer(totals.calls);
  out.seconds(totals.own_ns);
  out.seconds(totals.cumulative_ns);
  out.begin_map();
  for (const CallEdge& edge : function.callers) {
    out.label(run, graph.functions[edge.function].code);
    out.begin_tuple(4);
    out.integer(edge.totals.calls);
    out.integer(edge.totals.primitive_calls);
    out.seconds(edge.totals.own_ns);
    out.seconds(edge.totals.cumulative_ns);
  }
  out.end_map();
}

}  // namespace

Result<PstatsExport> export_pstats(const Run& run, Sink& sink) {
  const CallGraph graph = build_call_graph(run);
  MarshalWriter out(sink);
  PstatsExport done;
  out.begin_map();
  for (const Function& function : graph.functions) {
    if (!function.counted) continue;
    write_function(out, run, graph, function);
    ++done.functions;
  }
  out.end_map();
  if (done.functions == 0)
    return fail(ErrorKind::usage, run.path + " has no function calls to export");
  RETURN_IF_ERROR(out.finish());
  return done;
}

}  // namespace laptime
