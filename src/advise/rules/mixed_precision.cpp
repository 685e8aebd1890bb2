#include <fmt/format.h>

#include "advise/evidence/products.h"
#include "advise/rules.h"
#include "advise/words.h"

namespace laptime {

namespace {

// The host's cost of autocast, for each kernel that multiplies. Assumption: a layer has about three
// such kernels, one forward and two backward. It has four casts: weight and bias to 16 bits, and
// their gradients back. A cast is four ops and a launch, 15 µs.
constexpr std::int64_t kCast = 20'000;

// Attention of 32-bit floats. Attention of 16-bit floats runs in another kernel.
bool is_attention(std::string_view kernel) {
  return kernel.find("fmha_cutlass") != std::string_view::npos &&
         kernel.find("_f32_") != std::string_view::npos;
}

// Casts cost the host time. Products and attention get faster. Other kernels then move half the
// bytes, which is not counted.
replay::Changes mixed_precision_in_general() {
  replay::Changes changes;
  changes.work.push_back({[](std::string_view kernel, std::string_view) {
                            return multiplies_in(kernel, Precision::fp32);
                          },
                          0.12, 0.07, 0.35, kCast});
  changes.work.push_back({[](std::string_view kernel, std::string_view) {
                            return multiplies_in(kernel, Precision::tf32);
                          },
                          0.55, 0.45, 0.85, kCast});
  changes.work.push_back(
      {[](std::string_view kernel, std::string_view) { return is_attention(kernel); }, 0.3, 0.12,
       0.6, kCast});
  return changes;
}

std::vector<Finding> find_mixed_precision(const Evidence& evidence) {
  const Settings& settings = evidence.settings();
  if (!evidence.knows_gpu() || !settings.on_gpu() || !settings.autocast.empty() ||
      settings.optimizers.front().dtype != "float32")
    return {};
  if (products_of(evidence.gpu(), {Precision::fp16, Precision::fp8}).largest) return {};
  const Products products = products_of(evidence.gpu(), {Precision::fp32, Precision::tf32});
  if (!products.largest) return {};
  const double part = evidence.gpu().exposed_ns(products.ns);
  return {{products.largest->file, products.largest->line, evidence.share(part), std::nullopt,
           Confidence::medium,
           fmt::format("All products are of 32-bit floats: {} of computing that 16-bit tensor "
                       "cores do in a half to a fifth of the time.",
                       of_a_step(evidence, part)),
           "with torch.autocast(\"cuda\", torch.bfloat16): loss = …   (forward and loss; backward "
           "and the optimizer outside)",
           mixed_precision_in_general(), std::nullopt,
           "all other work on activations moves half the bytes"}};
}

}  // namespace

const Rule kMixedPrecision{
    "mixed-precision",
    "No mixed precision",
    "32-bit products (TF32 included) take a part of the step on a GPU, none is 16-bit, and "
    "autocast was never used.",
    "there are 16-bit products, or computing is a small part of the step. Then nothing would be "
    "gained (see launch-bound).",
    "Use `with torch.autocast(\"cuda\", torch.bfloat16):` around forward and loss. With float16 "
    "also use a `torch.amp.GradScaler`. Check that the loss stays the same within noise.",
    "by a replay of the run: 7 to 35 % of the time remains for products on plain cores, 45 to "
    "85 % for TF32 products, and 12 to 60 % for attention. Each cast costs the host 10 to 40 "
    "µs. If the host bounds the step, nothing is gained. Other kernels move half the bytes, "
    "which is not counted.",
    find_mixed_precision,
    Meaning::changed,
    mixed_precision_in_general};

}  // namespace laptime
