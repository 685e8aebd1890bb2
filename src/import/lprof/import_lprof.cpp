#include "import/lprof/import_lprof.h"

#include <cstdint>
#include <optional>

#include "format/names.h"
#include "import/lprof/pickle_reader.h"
#include "import/python_shape.h"
#include "import/tally_part.h"

namespace laptime {

namespace {

tl::unexpected<Error> odd(const char* what) {
  return fail(ErrorKind::bad_file, std::string("is a pickle, but not line_profiler's: ") + what);
}

class LprofImport {
 public:
  LprofImport(const PythonTree& tree, std::uint64_t file_size)
      : tree_(tree), shape_(tree.values), max_rows_(file_size) {}

  Status run(TallyPart& part) {
    const auto timings = find_timings();
    if (!timings) return odd("it holds no timings and unit");
    for (std::size_t i = 0; i < timings->size(); i += 2)
      RETURN_IF_ERROR(add_function(part, (*timings)[i], (*timings)[i + 1]));
    return add_sources(part);
  }

 private:
  using Id = PythonValues::Id;
  using Items = PythonValues::Items;

  // Also sets the unit.
  std::optional<Items> find_timings() {
    Id holder = tree_.root;
    if (tree_.values.is(holder, PythonType::instance)) {
      if (tree_.values.items(holder).empty()) return std::nullopt;
      holder = tree_.values.items(holder).front();
    }
    if (const auto pair = shape_.sequence(holder, 2)) return take((*pair)[0], (*pair)[1]);
    const auto fields = shape_.map(holder);
    std::optional<Id> timings, unit;
    for (std::size_t i = 0; fields && i < fields->size(); i += 2) {
      const auto key = shape_.text((*fields)[i]);
      if (key == "timings") timings = (*fields)[i + 1];
      if (key == "unit") unit = (*fields)[i + 1];
      if (key == "laptime_sources") sources_ = shape_.map((*fields)[i + 1]);
    }
    return timings && unit ? take(*timings, *unit) : std::nullopt;
  }

  std::optional<Items> take(Id timings, Id unit) {
    const auto seconds = shape_.number(unit);
    if (!seconds || !(*seconds > 0)) return std::nullopt;
    unit_s_ = *seconds;
    return shape_.map(timings);
  }

  Status add_function(TallyPart& part, Id key, Id value) {
    const auto label = shape_.label(key);
    const auto lines = shape_.sequence(value);
    if (!label || !lines) return odd("an entry is not (file, line, name): [(line, hits, ticks)]");
    ASSIGN_OR_RETURN(const std::uint32_t code, part.code(*label));
    // A watched function that never ran is stored as a line that was never reached.
    if (lines->empty()) return part.add(TallyKind::line, code, label->first_line, {});
    for (const Id line : *lines) RETURN_IF_ERROR(add_line(part, code, line));
    return {};
  }

  // Sources that the file contains. Files that it names are not opened.
  Status add_sources(TallyPart& part) {
    std::size_t bytes = 0;
    for (std::size_t i = 0; sources_ && i < sources_->size(); i += 2) {
      const auto file = shape_.text((*sources_)[i]), text = shape_.text((*sources_)[i + 1]);
      if (!file || !text) return odd("its source texts are no texts by file");
      bytes += text->size();
      if (bytes > max_rows_) return odd("it unfolds to more source text than it has bytes");
      RETURN_IF_ERROR(part.add_source(*file, *text));
    }
    return {};
  }

  Status add_line(TallyPart& part, std::uint32_t code, Id value) {
    // Every entry takes more than a byte. A file with more entries shares them to exhaust memory.
    if (part.rows() >= max_rows_) return odd("it unfolds to more entries than it has bytes");
    const auto fields = shape_.sequence(value, 3);
    const auto line = fields ? shape_.count((*fields)[0]) : std::nullopt;
    const auto hits = fields ? shape_.count((*fields)[1]) : std::nullopt;
    const auto ticks = fields ? shape_.number((*fields)[2]) : std::nullopt;
    if (!line || *line > UINT32_MAX || !hits || !ticks)
      return odd("a line is not (line, hits, ticks)");
    return part.add(TallyKind::line, code, static_cast<std::uint32_t>(*line),
                    {*hits, 0, *ticks * unit_s_, 0});
  }

  const PythonTree& tree_;
  PythonShape shape_;
  std::uint64_t max_rows_;
  std::optional<Items> sources_;
  double unit_s_ = 0;
};

}  // namespace

bool looks_like_lprof(ByteView head) {
  return head.size() >= 2 && head[0] == 0x80 && head[1] >= 2 && head[1] <= 5;
}

Status import_lprof(ByteStream& in, std::string_view file_name, LapWriter& writer) {
  ASSIGN_OR_RETURN(const PythonTree tree, read_pickle(in));
  RETURN_IF_ERROR(in.finish());
  TallyPart part(in.budget());
  RETURN_IF_ERROR(LprofImport(tree, in.offset()).run(part));
  part.add_property(property::kSourceFormat, "lprof");
  part.add_property(property::kLineSelfTime, property::kUnknown);
  return part.write(writer, file_name);
}

}  // namespace laptime
