// Table `syncs`: where the host waited for a GPU, by line and call (`.item()`, `.cpu()`, `print(loss)`, torch.cuda.synchronize); rows by falling
// time. Copies that make the host wait are in table `copies`.
#pragma once

#include "analyze/analysis.h"
#include "analyze/table.h"

namespace laptime {

Table syncs_table(const Analysis& analysis);

}  // namespace laptime
