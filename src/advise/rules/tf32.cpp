#include <fmt/format.h>
#include <utility>

#include "advise/evidence/products.h"
#include "advise/rules.h"
#include "advise/words.h"
#include "format/names.h"
#include "trace/gpu/device_facts.h"

namespace laptime {

namespace {

constexpr std::uint64_t kFirstWithTf32 = 8;  // major compute capability

bool has_tf32(const Evidence& evidence) {
  return device_number(evidence.process(), 0, device_property::kComputeMajor) >= kFirstWithTf32;
}

// Convolutions do not change: cuDNN has its own setting, which is on by default.
replay::Changes tf32_in_general() {
  return replay::work_change(
      [](std::string_view kernel, std::string_view op) {
        return multiplies_in(kernel, Precision::fp32) && !is_convolution(op);
      },
      0.2, 0.12, 0.5);
}

std::vector<Finding> find_tf32(const Evidence& evidence) {
  const Settings& settings = evidence.settings();
  if (!evidence.knows_gpu() || !has_tf32(evidence) || settings.matmul_precision != "highest" ||
      !settings.autocast.empty())
    return {};
  // Convolutions run in cuDNN, where TF32 is on by default.
  const Products products =
      products_of(evidence.gpu(), {Precision::fp32},
                  [](const StepWork& work) { return !is_convolution(work.op); });
  if (!products.largest) return {};
  const double part = evidence.gpu().exposed_ns(products.ns);
  replay::Changes changes = tf32_in_general();
  if (const auto left = left_on_card(evidence, Precision::fp32, Precision::tf32))
    for (replay::WorkScale& scale : changes.work)
      scale.factor = left->expected, scale.best = left->best, scale.worst = left->worst;
  return {{products.largest->file, products.largest->line, evidence.share(part), std::nullopt,
           Confidence::medium,
           fmt::format("Products of 32-bit floats run on plain cores, tensor cores idle: {}.",
                       of_a_step(evidence, part)),
           "torch.set_float32_matmul_precision(\"high\") before training: factors are rounded to "
           "TF32 (10 bits)",
           std::move(changes)}};
}

}  // namespace

const Rule kTf32{
    "tf32",
    "32-bit products do not use tensor cores",
    "kernels that multiply 32-bit floats on plain cores take a part of the step. The GPU has "
    "TF32 (compute capability 8 and later), and `torch.get_float32_matmul_precision()` is "
    "`highest`.",
    "TF32 or mixed precision is on, such products take almost no time, or they are "
    "convolutions. Convolutions have their own setting (`torch.backends.cudnn.allow_tf32`), "
    "which is on by default.",
    "Call `torch.set_float32_matmul_precision(\"high\")`. Factors are rounded to 10 bits, sums "
    "stay 32-bit. This is mostly harmless for training; check it if products are "
    "ill-conditioned.",
    "by a replay of the run: the share of these kernels' time that remains is 0.9 to 2.6 times "
    "the ratio of the card's peaks (fp32 / TF32: 0.14 on an H200, 1 on a card with equal "
    "peaks). For an unknown card 12 to 50 % remains.",
    find_tf32,
    Meaning::changed,
    tf32_in_general};

}  // namespace laptime
