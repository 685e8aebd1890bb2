#include "import/import_budget.h"

#include "base/humane.h"

namespace laptime {

tl::unexpected<Error> ImportBudget::refusal() const {
  return fail(refused_, "takes more than " + humane_bytes(static_cast<double>(limit_)) +
                            " of memory to import (--max-memory SIZE sets another limit)");
}

}  // namespace laptime
