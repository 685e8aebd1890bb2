#include "advise/products.h"

#include <algorithm>

namespace laptime {

Products products_of(const GpuSteps& gpu, std::initializer_list<Precision> precisions, bool (*counts)(const StepWork&)) {
  Products products;
  for (const StepWork& work : gpu.work()) {
    if (work.kind != SpanKind::kernel || (counts && !counts(work))) continue;
    const auto precision = math_of_kernel(work.name).precision;
    if (!precision || std::find(precisions.begin(), precisions.end(), *precision) == precisions.end()) continue;
    products.ns += work.ns;
    if (!products.largest || work.ns > products.largest->ns) products.largest = &work;
  }
  return products;
}

}  // namespace laptime
