#include "trace/gpu/effort/kernel_effort.h"

#include <algorithm>
#include <map>

#include "base/contains_any.h"
#include "base/flat_map.h"
#include "trace/gpu/effort/convolution_flops.h"
#include "trace/gpu/effort/foreach_kernels.h"
#include "trace/gpu/effort/kernel_math.h"
#include "trace/gpu/effort/op_bytes.h"

namespace laptime {

namespace {

struct OpFacts {
  std::uint32_t shapes = 0, types = 0;  // Run::strings
  std::optional<std::uint64_t> flops;
};

// Nothing if the op recorded neither.
std::optional<OpFacts> facts_of_op(const Spans& spans, std::uint32_t row) {
  const std::uint64_t* const flops = spans.flops.find(row);
  const OpFacts facts{spans.shapes.value_or(row, 0), spans.types.value_or(row, 0),
                      flops ? std::optional(*flops) : std::nullopt};
  return facts.shapes != 0 || facts.types != 0 || flops ? std::optional(facts) : std::nullopt;
}

// The GPU work of one op that may account for its FLOPs or bytes.
struct OpWork {
  std::uint32_t track = 0, row = 0;  // the op
  std::size_t work = 0, count = 0;   // the last work
  std::int64_t ns = 0;
  bool winograd = false;  // one of its kernels uses Winograd's method
};

// The kernels that a convolution's backward pass launched.
struct ConvolutionWork {
  std::uint32_t track = 0, row = 0;       // the op
  std::vector<std::size_t> named, other;  // multiplying kernels: those named after a product
  bool winograd = false;
};

// Facts from a kernel's name.
struct KernelFacts {
  bool multiplies = false, is_winograd = false, names_product = false;
  std::optional<std::uint64_t> bytes_per_element;  // over lists of tensors
};
KernelFacts facts_of_kernel(std::string_view name) {
  const KernelMath math = math_of_kernel(name);
  return {math.precision.has_value() || math.tensor_cores.value_or(false),
          contains_any(name, {"winograd", "Winograd"}),
          contains_any(name, {"dgrad", "wgrad", "Dgrad", "Wgrad", "fprop"}),
          foreach_bytes_per_element(name)};
}

class Efforts {
 public:
  Efforts(const Run& run, const OpAttribution& ops, const GpuWorkload& gpu)
      : run_(run),
        ops_(ops),
        gpu_(gpu),
        convolution_backward_(run.strings.find("aten::convolution_backward")),
        result_(gpu.all().size()) {}

  std::vector<KernelEffort> find() {
    for (std::size_t i = 0; i < gpu_.all().size(); ++i) add(i);
    multiplying_.for_each([&](const OpWork& op) {
      if (op.count == 1 && !op.winograd) result_[op.work].flops = facts_at(op.track, op.row)->flops;
    });
    convolutions_.for_each([&](const ConvolutionWork& op) { assign_products(op); });
    launched_.for_each([&](const OpWork& op) {
      if (op.count == 1) result_[op.work].bytes = bytes_of(op);
    });
    for (std::size_t i = 0; i < gpu_.all().size(); ++i) assign_list_bytes(i);
    return std::move(result_);
  }

 private:
  void add(std::size_t index) {
    const GpuWork& work = gpu_.all()[index];
    if (!work.launch || work.launch->op_row == kNoRow) return;
    const std::uint32_t track = work.launch->track;
    count(launched_, track, work.launch->op_row, index);
    const KernelFacts& kernel = facts_of(work);
    if (!kernel.multiplies && !kernel.is_winograd) return;
    for (std::uint32_t row = work.launch->op_row; row != kNoRow;
         row = ops_.tracks[track].tree.parent[row]) {
      const std::optional<OpFacts> op = facts_at(track, row);
      if (!op) continue;
      if (run_.tracks[track].spans.name[row] == convolution_backward_)
        return add_product(track, row, index, kernel);
      if (op->flops) return add_multiplying(track, row, index, kernel);
    }
  }
  std::optional<OpFacts> facts_at(std::uint32_t track, std::uint32_t row) const {
    return facts_of_op(run_.tracks[track].spans, row);
  }
  static std::uint64_t key_of(std::uint32_t track, std::uint32_t row) {
    return (static_cast<std::uint64_t>(track) << 32 | row) + 1;
  }
  void count(FlatMap<OpWork>& ops, std::uint32_t track, std::uint32_t row, std::size_t work) const {
    OpWork& op = ops[key_of(track, row)];
    op = {track, row, work, op.count + 1, op.ns + duration_of(gpu_.all()[work]), op.winograd};
  }
  std::int64_t duration_of(const GpuWork& work) const {
    return run_.tracks[work.track].spans.duration[work.row];
  }

  void add_multiplying(std::uint32_t track, std::uint32_t row, std::size_t work,
                       const KernelFacts& kernel) {
    if (kernel.multiplies) count(multiplying_, track, row, work);
    multiplying_[key_of(track, row)].winograd |= kernel.is_winograd;
  }
  void add_product(std::uint32_t track, std::uint32_t row, std::size_t work,
                   const KernelFacts& kernel) {
    ConvolutionWork& op = convolutions_[key_of(track, row)];
    op.track = track;
    op.row = row;
    op.winograd |= kernel.is_winograd;
    if (kernel.multiplies && !kernel.is_winograd)
      (kernel.names_product ? op.named : op.other).push_back(work);
  }
  void assign_products(const ConvolutionWork& op) {
    constexpr std::size_t kProducts = 2;
    std::vector<std::size_t> products = op.named;
    if (!op.winograd) products.insert(products.end(), op.other.begin(), op.other.end());
    if (products.size() > kProducts) return;
    const auto flops = convolution_backward_flops(run_.strings[facts_at(op.track, op.row)->shapes]);
    for (const std::size_t work : products) result_[work].flops = flops;
  }

  void assign_list_bytes(std::size_t index) {
    const GpuWork& work = gpu_.all()[index];
    const std::uint32_t row = work.launch ? work.launch->op_row : kNoRow;
    if (row == kNoRow || !facts_of(work).bytes_per_element) return;
    const std::optional<OpFacts> op = facts_at(work.launch->track, row);
    const OpWork* const all = launched_.find(key_of(work.launch->track, row));
    const auto elements =
        op ? first_list_elements(run_.strings[op->shapes], run_.strings[op->types]) : std::nullopt;
    if (!elements || !all || all->ns <= 0) return;
    const double share = static_cast<double>(duration_of(work)) / static_cast<double>(all->ns);
    result_[index].bytes =
        static_cast<std::uint64_t>(share * static_cast<double>(*elements) *
                                   static_cast<double>(*facts_of(work).bytes_per_element));
  }

  const KernelFacts& facts_of(const GpuWork& work) {
    const auto [known, is_new] = names_.try_emplace(run_.tracks[work.track].spans.name[work.row]);
    if (is_new) known->second = facts_of_kernel(run_.strings[known->first]);
    return known->second;
  }
  std::optional<std::uint64_t> bytes_of(const OpWork& op) const {
    const std::optional<OpFacts> facts = facts_at(op.track, op.row);
    if (!facts) return std::nullopt;
    const std::string_view name = run_.strings[run_.tracks[op.track].spans.name[op.row]];
    return bytes_moved(name, run_.strings[facts->shapes], run_.strings[facts->types]);
  }

  const Run& run_;
  const OpAttribution& ops_;
  const GpuWorkload& gpu_;
  const std::uint32_t convolution_backward_;  // Run::strings
  std::vector<KernelEffort> result_;
  FlatMap<OpWork> multiplying_;                 // by the op around them that recorded its FLOPs
  FlatMap<ConvolutionWork> convolutions_;       // by the op
  FlatMap<OpWork> launched_;                    // by the innermost op
  std::map<std::uint32_t, KernelFacts> names_;  // by Run::strings
};

}  // namespace

std::vector<KernelEffort> find_kernel_efforts(const Run& run, const OpAttribution& ops,
                                              const GpuWorkload& gpu) {
  if (std::ranges::all_of(run.tracks, [](const Track& track) {
        return track.spans.shapes.empty() && track.spans.flops.empty();
      }))
    return {};
  return Efforts(run, ops, gpu).find();
}

}  // namespace laptime
