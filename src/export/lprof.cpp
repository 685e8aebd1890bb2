#include "export/lprof.h"

#include <bit>
#include <optional>
#include <set>

#include "base/utf8.h"
#include "export/byte_stream.h"
#include "tables/code/lines.h"
#include "trace/analysis.h"

namespace laptime {

namespace {

class PickleWriter {
 public:
  explicit PickleWriter(Sink& sink) : out_(sink) {}

  void op(char opcode) { out_.u8(opcode); }
  void op(std::string_view opcodes) { out_.append(opcodes); }
  void integer(std::uint64_t n) {
    if (n <= INT32_MAX) {
      op('J');
      out_.little_endian(static_cast<std::uint32_t>(n));
      return;
    }
    // LONG1, with a ninth byte where the eighth would be read as a sign.
    const bool high = n > INT64_MAX;
    op('\x8a');
    out_.u8(high ? 9 : 8);
    out_.little_endian(n);
    if (high) out_.u8(0);
  }
  void real(double number) {
    op('G');
    out_.little_endian(__builtin_bswap64(std::bit_cast<std::uint64_t>(number)));
  }
  void text(std::string_view text) {
    const std::string valid = make_valid_utf8(text);
    op('X');
    out_.little_endian(static_cast<std::uint32_t>(valid.size()));
    out_.append(valid);
  }
  Status finish() { return out_.finish(); }

 private:
  SinkWriter out_;
};

constexpr char kTuple3 = '\x87';

void write_label(PickleWriter& out, const Run& run, const Code& code) {
  out.text(run.strings[code.file]);
  out.integer(code.first_line);
  out.text(run.strings[code.name]);
  out.op(kTuple3);
}

void write_lines(PickleWriter& out, const std::vector<LineTotals>& lines, std::size_t begin,
                 std::size_t end) {
  out.op("](");
  for (std::size_t i = begin; i < end; ++i) {
    if (!lines[i].reached()) continue;
    out.integer(lines[i].line);
    out.integer(lines[i].hits);
    out.integer(lines[i].inclusive_ns);
    out.op(kTuple3);
  }
  out.op('e');
}

// The texts in the run, for viewers that do not open files.
void write_sources(PickleWriter& out, const Run& run, const std::vector<LineTotals>& lines) {
  std::set<std::string_view> files;
  for (const LineTotals& line : lines) files.insert(run.strings[run.codes[line.code].file]);
  out.text("laptime_sources");
  out.op("}(");
  for (const std::string_view file : files) {
    const auto source = run.sources.find(file);
    const auto text = source == run.sources.end() ? std::nullopt : unpack(source->second);
    if (!text) continue;
    out.text(file);
    out.text(*text);
  }
  out.op('u');
}

}  // namespace

Result<LprofExport> export_lprof(const Run& run, Sink& sink) {
  const std::vector<LineTotals> lines = sum_lines(Analysis(run));
  if (lines.empty()) return fail(ErrorKind::usage, run.path + " has no times by line to export");
  LprofExport done{0, lines.size()};
  PickleWriter out(sink);
  out.op(
      "\x80\x02"
      "cline_profiler._line_profiler\nLineStats\n)\x81}(");
  out.text("timings");
  out.op("}(");
  for (std::size_t i = 0; i < lines.size(); ++done.functions) {
    const std::size_t begin = i;
    while (i < lines.size() && lines[i].code == lines[begin].code) ++i;
    write_label(out, run, run.codes[lines[begin].code]);
    write_lines(out, lines, begin, i);
  }
  out.op('u');
  out.text("unit");
  out.real(1e-9);
  if (!run.sources.empty()) write_sources(out, run, lines);
  out.op("ub.");
  RETURN_IF_ERROR(out.finish());
  return done;
}

}  // namespace laptime
