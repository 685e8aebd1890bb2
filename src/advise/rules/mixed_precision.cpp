#include <fmt/format.h>

#include "advise/products.h"
#include "advise/rules.h"
#include "advise/words.h"
#include "replay/rule_changes.h"

namespace laptime {

namespace {

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
           *whatif::changes_of_rule(kMixedPrecision.name), std::nullopt,
           "all other work on activations moves half the bytes"}};
}

}  // namespace

const Rule kMixedPrecision{
    "mixed-precision",
    "No mixed precision",
    "products of 32-bit floats (TF32 included) take a part of the step on a GPU, none is 16-bit, "
    "and autocast was never entered.",
    "16-bit products are there, or computing is a small part of the step: then it would gain "
    "nothing (see launch-bound).",
    "`with torch.autocast(\"cuda\", torch.bfloat16):` around forward and loss; with float16 also a "
    "`torch.amp.GradScaler`. Check that the loss stays the same within noise.",
    "by a replay of the run: of products on plain cores 7 to 35 % is left, of TF32 ones 45 to 85 "
    "%; of attention 12 to 60 %; casts cost the host 10 to 40 µs for each. Where the host bounds "
    "the step nothing is gained. That other kernels move half the bytes is not counted.",
    find_mixed_precision,
    Meaning::changed};

}  // namespace laptime
