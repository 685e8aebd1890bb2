#include <fmt/format.h>
#include <algorithm>
#include <charconv>

#include "advise/evidence/products.h"
#include "advise/rules.h"
#include "advise/words.h"
#include "tables/ops/ops.h"

namespace laptime {

namespace {

constexpr std::int64_t kMultiple = 8;  // of 16-bit numbers, for full speed of tensor cores

bool is_product(const std::string& name) {
  static constexpr const char* kProducts[] = {"aten::mm", "aten::addmm", "aten::bmm",
                                              "aten::baddbmm"};
  return std::any_of(std::begin(kProducts), std::end(kProducts),
                     [&](const char* product) { return name == product; });
}

// Whether one of the last two sizes of a matrix in "[[64, 100], [100, 10]]" is no multiple. Vectors
// (a bias) do not count.
bool has_odd_size(std::string_view shapes) {
  for (std::size_t open = shapes.find('[', 1); open != std::string_view::npos;
       open = shapes.find('[', open + 1)) {
    std::vector<std::int64_t> sizes;
    const char *at = shapes.data() + open + 1, *const end = shapes.data() + shapes.size();
    for (std::int64_t size = 0; at < end && *at != ']';) {
      const auto [next, error] = std::from_chars(at, end, size);
      if (error == std::errc()) sizes.push_back(size);
      at = error == std::errc() ? next : at + 1;
    }
    if (sizes.size() >= 2 &&
        (sizes[sizes.size() - 1] % kMultiple != 0 || sizes[sizes.size() - 2] % kMultiple != 0))
      return true;
  }
  return false;
}

bool is_16_bit_product(std::string_view kernel) {
  return math_of_kernel(kernel).precision == Precision::fp16;
}

replay::Changes padded(const std::string& file, std::int64_t line) {
  replay::Changes changes = replay::work_change(
      [](std::string_view kernel, std::string_view) { return is_16_bit_product(kernel); }, 0.7, 0.5,
      0.95);
  changes.work.back().at = fmt::format("{}:{}", file, line);
  return changes;
}

// The time of 16-bit products launched at the line, per step.
double kernels_at(const GpuSteps& gpu, const std::string& file, std::int64_t line) {
  double ns = 0;
  for (const StepWork& work : gpu.work())
    if (work.kind == SpanKind::kernel && work.file == file && work.line == line &&
        is_16_bit_product(work.name))
      ns += work.ns;
  return ns;
}

std::vector<Finding> find_odd_dims(const Evidence& evidence) {
  if (!evidence.knows_gpu() || !products_of(evidence.gpu(), {Precision::fp16}).largest) return {};
  const Table table = ops_table<OpGrouping::shape>(evidence.analysis());
  const auto column = [&](const char* name) { return *find_column(table, name); };
  for (const Row& row : table.rows) {  // by falling time
    const auto *shapes = std::get_if<std::string>(&row[column("shapes")]),
               *file = std::get_if<std::string>(&row[column("file")]);
    const auto* line = std::get_if<std::int64_t>(&row[column("line")]);
    if (!shapes || !file || !line || !is_product(std::get<std::string>(row[column("name")])) ||
        !has_odd_size(*shapes))
      continue;
    const double part = evidence.gpu().exposed_ns(kernels_at(evidence.gpu(), *file, *line));
    return {{*file, static_cast<std::uint32_t>(*line), evidence.share(part), std::nullopt,
             Confidence::low,
             fmt::format("16-bit products here have sizes that are no multiple of 8, {}: {}.",
                         *shapes, of_a_step(evidence, part)),
             "Pad vocabulary, classes, features and batch to multiples of 8 (64 is better)",
             padded(*file, *line)}};
  }
  return {};
}

}  // namespace

const Rule kOddDims{
    "odd-dims",
    "Sizes that are slow on tensor cores",
    "with `--shapes`: a size of a 16-bit product (`mm`, `addmm`, `bmm`) is no multiple of 8, "
    "and its line's products take a part of the step.",
    "shapes were not recorded, or all sizes are multiples of 8.",
    "Pad the vocabulary, the number of classes or features, and the batch to multiples of 8. "
    "Multiples of 64 are better.",
    "by a replay of the run: 50 to 95 % of the time of the line's products remains.",
    find_odd_dims};

}  // namespace laptime
