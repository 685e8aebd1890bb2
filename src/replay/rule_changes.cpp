#include "replay/rule_changes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "trace/gpu/effort/kernel_math.h"

namespace laptime::whatif {

namespace {

struct RuleChanges {
  const char* rule;
  Changes changes;
};

Changes input_free() {
  Changes changes;
  changes.input_free = true;
  return changes;
}
Changes pinned() {
  Changes changes;
  changes.pinned = true;
  return changes;
}
Changes packed() {
  Changes changes;
  changes.packed = true;
  return changes;
}
Changes no_waits() {
  Changes changes;
  changes.no_waits.push_back("*");
  return changes;
}
// torch.compile's graphs hold the model's forward and backward, not the optimizer, nor the
// program's own code.
Changes compiled() {
  Changes changes;
  for (const char* category : {"forward ops", "backward", "memory", "launch"})
    changes.scales.push_back({category, 0.3, 0.1, 0.7});
  return changes;
}

bool is_product(std::string_view kernel, Precision precision) {
  return math_of_kernel(kernel).precision == precision;
}

// What autocast costs the host beside a kernel that multiplies: a layer has about three (forward,
// and two of backward) and four casts, of its weight and bias to 16 bits and of their gradients
// back; a cast is four ops and a launch, 15 µs.
constexpr std::int64_t kCast = 20'000;

// Attention of 32-bit floats; of 16-bit ones it is another kernel's.
bool is_attention(std::string_view kernel) {
  return kernel.find("fmha_cutlass") != std::string_view::npos &&
         kernel.find("_f32_") != std::string_view::npos;
}

// Casts cost the host, products and attention get faster. That other kernels then move half the
// bytes is not counted.
Changes mixed_precision() {
  Changes changes;
  changes.work.push_back({[](std::string_view kernel, std::string_view) {
                            return is_product(kernel, Precision::fp32);
                          },
                          0.12, 0.07, 0.35, kCast});
  changes.work.push_back({[](std::string_view kernel, std::string_view) {
                            return is_product(kernel, Precision::tf32);
                          },
                          0.55, 0.45, 0.85, kCast});
  changes.work.push_back(
      {[](std::string_view kernel, std::string_view) { return is_attention(kernel); }, 0.3, 0.12,
       0.6, kCast});
  return changes;
}
// cuDNN has a setting of its own, which is on from the start.
Changes tf32() {
  Changes changes;
  changes.work.push_back({[](std::string_view kernel, std::string_view op) {
                            return is_product(kernel, Precision::fp32) && !is_convolution(op);
                          },
                          0.2, 0.12, 0.5});
  return changes;
}
Changes batch(double factor) {
  Changes changes;
  changes.batch = factor;
  return changes;
}

// What is left of a part of the step after the advice was followed, where nothing measured tells:
// experience.
const std::vector<RuleChanges>& table() {
  static const std::vector<RuleChanges> rules{
      {"no-workers", workers_change(2)},
      {"few-workers", workers_change(4)},
      {"worker-imbalance", any_order_change()},
      {"in-memory-dataset", input_free()},
      {"launch-bound", compiled()},
      {"small-batch", batch(2)},
      {"hidden-sync", no_waits()},
      {"pageable-copy", pinned()},
      {"tiny-copies", packed()},
      {"tf32", tf32()},
      {"mixed-precision", mixed_precision()},
      {"gc-pauses", scale_change("gc", 0, 0, 0.2)},
      {"single-tensor-optimizer", scale_change("Optimizer.step*", 0.4, 0.1, 0.7)},
      {"zero-grad", scale_change("Optimizer.zero_grad*", 0.3, 0.05, 0.7)},
  };
  return rules;
}

}  // namespace

Result<Changes> changes_of_rule(std::string_view rule) {
  for (const RuleChanges& entry : table())
    if (rule == entry.rule) return entry.changes;
  return fail(
      ErrorKind::usage,
      fmt::format(
          "this run has no advice '{}', and what it would change in general is known only of {}",
          rule, fmt::join(rules_with_changes(), ", ")));
}

std::vector<std::string_view> rules_with_changes() {
  std::vector<std::string_view> names;
  for (const RuleChanges& entry : table()) names.push_back(entry.rule);
  return names;
}

}  // namespace laptime::whatif
