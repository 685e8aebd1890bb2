#include <fmt/format.h>
#include <algorithm>

#include "advise/rules.h"
#include "advise/words.h"

namespace laptime {

namespace {

constexpr double kLeastBfloat16Share = 0.3;  // of a step
constexpr double kLargeNs = 1'500'000;       // of a mean product: its casts are negligible
// Of a mean product. In shorter ones the casts take longer than the gain.
constexpr double kLeastNs = 500'000;

bool is_product(const std::string& op) {
  for (const char* name : {"aten::mkldnn_convolution", "aten::convolution_backward", "aten::mm",
                           "aten::addmm", "aten::bmm", "aten::baddbmm"})
    if (op == name) return true;
  return false;
}

struct CpuProducts {
  double ns = 0, calls = 0;
  const StepOp* largest = nullptr;
  std::vector<std::string> names;

  void add(const StepOp& op) {
    ns += op.self_ns;
    calls += op.calls;
    if (!largest || op.self_ns > largest->self_ns) largest = &op;
    if (std::find(names.begin(), names.end(), op.name) == names.end()) names.push_back(op.name);
  }
  // With half as many bits. Measured with avx512_bf16: large products take 0.25 to 0.45 of their
  // time, barely large ones 0.85. With amx_bf16 it may be far less.
  replay::Changes in_bfloat16(const std::string& instructions) const {
    replay::Changes changes;
    const bool large = ns >= kLargeNs * calls;
    for (const std::string& name : names)
      changes.add(shrunk(name, {instructions == "amx_bf16" ? 0.1 : 0.2, large ? 0.6 : 0.9}));
    return changes;
  }
};

std::vector<Finding> find_cpu_bfloat16(const Evidence& evidence) {
  const Settings& settings = evidence.settings();
  if (settings.cpu_bfloat16.empty() || !settings.autocast.empty() || settings.optimizers.empty())
    return {};
  if (settings.optimizers.front().device != "cpu" || settings.optimizers.front().dtype != "float32")
    return {};
  CpuProducts products;
  for (const StepOp& op : evidence.ops())
    if (is_product(op.name)) products.add(op);
  if (!products.largest || evidence.share(products.ns) < kLeastBfloat16Share ||
      products.ns < kLeastNs * products.calls)
    return {};
  return {
      {products.largest->file, products.largest->line, evidence.share(products.ns), std::nullopt,
       Confidence::low,
       fmt::format("All products are of 32-bit floats, {}, on a CPU that multiplies bfloat16 ({}).",
                   of_a_step(evidence, products.ns), settings.cpu_bfloat16),
       "with torch.autocast(\"cpu\", torch.bfloat16): loss = …   (forward and loss; backward and "
       "the optimizer outside)",
       products.in_bfloat16(settings.cpu_bfloat16), std::nullopt,
       "all other work on activations moves half the bytes"}};
}

}  // namespace

const Rule kCpuBfloat16{
    "cpu-bfloat16",
    "No mixed precision on a CPU that has it",
    "32-bit products and convolutions take at least 30 % of a step, and at least 0.5 ms each on "
    "average. The CPU has instructions for bfloat16 (avx512_bf16, amx_bf16), and autocast was "
    "never used.",
    "the CPU has no such instructions, or products are short. Then casts cost as much as is "
    "gained.",
    "Use `with torch.autocast(\"cpu\", torch.bfloat16):` around forward and loss. Check that "
    "the loss stays the same within noise.",
    "by a replay of the run: 20 to 90 % of the products' time remains with avx512_bf16, 10 to "
    "90 % with amx_bf16, and at most 60 % if products take 1.5 ms each. Measured with "
    "avx512_bf16 on 2 cores: perceptrons of 1,024 and 2,048 units 1.28 and 2.08 ×; convolutions "
    "of 32 and 64 channels 1.10 and 1.83 ×; convolutions of 16 and 32 channels with a batch of "
    "256 on one core 2.42 ×; transformer layers of 128 and 512 units 1.19 and 1.90 ×; programs "
    "with shorter products 0.86 to 0.95 ×.",
    find_cpu_bfloat16,
    Meaning::changed};

}  // namespace laptime
