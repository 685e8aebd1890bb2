#include "import/pstats/import_pstats.h"

#include <cstdint>
#include <optional>

#include "format/names.h"
#include "import/pstats/marshal_reader.h"
#include "import/python_shape.h"
#include "import/tally_part.h"

namespace laptime {

namespace {

tl::unexpected<Error> odd(const char* what) {
  return fail(ErrorKind::bad_file, std::string("is marshal data, but no saved profile: ") + what);
}

class PstatsImport {
 public:
  PstatsImport(const PythonTree& tree, std::uint64_t file_size)
      : shape_(tree.values), root_(tree.root), max_rows_(file_size) {}

  Status run(TallyPart& part) {
    const auto functions = shape_.map(root_);
    if (!functions) return odd("its value is no dict");
    for (std::size_t i = 0; i < functions->size(); i += 2)
      RETURN_IF_ERROR(add_function(part, (*functions)[i], (*functions)[i + 1]));
    part.add_warning(
        "estimated_caller_times", Severity::info, estimated_,
        "the file has no times by caller; they are estimated from the numbers of calls");
    return {};
  }

 private:
  using Id = PythonValues::Id;

  Status add_function(TallyPart& part, Id key, Id value) {
    const auto label = shape_.label(key);
    const auto fields = shape_.sequence(value, 5);
    const auto counts =
        fields ? counts_of((*fields)[1], (*fields)[0], (*fields)[2], (*fields)[3]) : std::nullopt;
    const auto callers = counts ? shape_.map((*fields)[4]) : std::nullopt;
    if (!label || !callers)
      return odd("an entry is not (file, line, name): (cc, nc, tt, ct, callers)");
    ASSIGN_OR_RETURN(const std::uint32_t code, part.code(*label));
    RETURN_IF_ERROR(part.add(TallyKind::call, code, 0, *counts));
    for (std::size_t i = 0; i < callers->size(); i += 2)
      RETURN_IF_ERROR(add_caller(part, code, *counts, (*callers)[i], (*callers)[i + 1]));
    return {};
  }

  Status add_caller(TallyPart& part, std::uint32_t callee, const ImportedCounts& total, Id key,
                    Id value) {
    // Every entry takes more than a byte. A file with more entries shares them to exhaust memory.
    if (part.rows() >= max_rows_) return odd("it unfolds to more entries than it has bytes");
    const auto label = shape_.label(key);
    const auto counts = label ? caller_counts(value, total) : std::nullopt;
    if (!counts) return odd("a caller is not (file, line, name): (nc, cc, tt, ct)");
    ASSIGN_OR_RETURN(const std::uint32_t caller, part.code(*label));
    return part.add(TallyKind::edge, callee, caller, *counts);
  }

  std::optional<ImportedCounts> caller_counts(Id value, const ImportedCounts& total) {
    if (const auto fields = shape_.sequence(value, 4))
      return counts_of((*fields)[0], (*fields)[1], (*fields)[2], (*fields)[3]);
    const auto calls = shape_.count(value);
    if (!calls) return std::nullopt;
    ++estimated_;
    const double share =
        total.hits ? static_cast<double>(*calls) / static_cast<double>(total.hits) : 0;
    return ImportedCounts{*calls, *calls, total.inclusive_s * share, total.exclusive_s * share};
  }

  std::optional<ImportedCounts> counts_of(Id all, Id primitive, Id own, Id cumulative) const {
    const auto nc = shape_.count(all), cc = shape_.count(primitive);
    const auto tt = shape_.number(own), ct = shape_.number(cumulative);
    if (!nc || !cc || !tt || !ct) return std::nullopt;
    return ImportedCounts{*nc, *cc, *ct, *tt};
  }

  PythonShape shape_;
  Id root_;
  std::uint64_t max_rows_;
  std::uint64_t estimated_ = 0;
};

}  // namespace

// A dict, followed by its end or by a tuple as key. JSON begins with the same byte, but continues
// differently.
bool looks_like_pstats(ByteView head) {
  if (head.size() < 2 || (head[0] & 0x7f) != '{') return false;
  const char next = static_cast<char>(head[1] & 0x7f);
  return next == '(' || next == ')' || next == '0';
}

Status import_pstats(ByteStream& in, std::string_view file_name, LapWriter& writer) {
  ASSIGN_OR_RETURN(const PythonTree tree, read_marshal(in));
  RETURN_IF_ERROR(in.finish());
  TallyPart part(in.budget());
  RETURN_IF_ERROR(PstatsImport(tree, in.offset()).run(part));
  part.add_property(property::kSourceFormat, "pstats");
  return part.write(writer, file_name);
}

}  // namespace laptime
