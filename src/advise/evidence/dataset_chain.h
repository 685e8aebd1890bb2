// The program's calls that build the tf.data pipeline of the training, and the stages that ran.
//
// TensorFlow rewrites pipelines: it runs `map` in parallel of its own accord, and fuses it with
// `batch`. So the stages show what ran, and the calls show the lines.
#pragma once

#include <string_view>
#include <vector>

#include "advise/evidence/evidence.h"
#include "trace/input/pipeline_stages.h"

namespace laptime {

// From the source on. Of several pipelines the one with most calls, and the first of these. Empty:
// the program builds none.
std::vector<const DatasetCall*> dataset_chain(const Settings& settings);

bool calls_method(const std::vector<const DatasetCall*>& chain, std::string_view method);

// Whether the steps of the main phase took more batches than one pass over the data has. Unknown
// lengths: no.
bool repeats(const Evidence& evidence, const std::vector<const DatasetCall*>& chain);

// The gain if a share `left` of the wait for input remains. At best the rest of a step is faster,
// too, because the processors no longer make batches meanwhile. How busy they were is unknown.
Gain gain_of_cheaper_input(const Evidence& evidence, Range left);

// Of the process with the main phase, each stage before those inside it.
std::vector<PipelineStage> stages_of_process(const Evidence& evidence);

}  // namespace laptime
