#include "advise/evidence/settings.h"

#include <algorithm>

#include "format/names.h"

namespace laptime {

namespace {

constexpr std::string_view kMadeByKeras =
    "keras";  // its loaders are of arrays, and it has no option for them

// The properties whose names begin alike.
class Facts {
 public:
  Facts(const Properties& properties, std::string prefix)
      : properties_(properties), prefix_(std::move(prefix)) {}

  bool any() const {
    const auto it = properties_.lower_bound(prefix_);
    return it != properties_.end() && it->first.starts_with(prefix_);
  }
  std::string text(const char* key) const {
    return std::string(property_text(properties_, prefix_ + key));
  }
  std::optional<std::int64_t> number(const char* key) const {
    return property_number(properties_, prefix_ + key);
  }
  std::optional<double> real(const char* key) const {
    return property_number<double>(properties_, prefix_ + key);
  }
  std::optional<bool> flag(const char* key) const {
    const auto value = number(key);
    return value ? std::optional(*value != 0) : std::nullopt;
  }
  std::uint32_t line(const char* key) const {
    return static_cast<std::uint32_t>(
        std::clamp<std::int64_t>(number(key).value_or(0), 0, INT32_MAX));
  }
  CodeName code(const std::string& name) const {
    return {text((name + "_file").c_str()), line((name + "_line").c_str())};
  }

 private:
  const Properties& properties_;
  std::string prefix_;
};

LoaderSettings read_loader(const Facts& facts) {
  LoaderSettings loader;
  loader.file = facts.text("file");
  loader.line = facts.line("line");
  loader.workers = facts.number("workers").value_or(0);
  loader.batch = facts.number("batch");
  loader.prefetch = facts.number("prefetch");
  loader.pin_memory = facts.flag("pin_memory").value_or(false);
  loader.persistent = facts.flag("persistent").value_or(false);
  loader.in_order = facts.flag("in_order").value_or(true);
  loader.gradients = facts.flag("gradients").value_or(true);
  loader.dataset = facts.text("dataset");
  loader.sampler = facts.text("sampler");
  loader.made_by = facts.text("made_by");
  loader.getitem = facts.code("getitem");
  loader.collate = facts.code("collate");
  return loader;
}

OptimizerSettings read_optimizer(const Facts& facts) {
  OptimizerSettings optimizer;
  optimizer.file = facts.text("file");
  optimizer.line = facts.line("line");
  optimizer.made_by = facts.text("made_by");
  optimizer.name = facts.text("class");
  optimizer.device = facts.text("device");
  optimizer.dtype = facts.text("dtype");
  optimizer.way = facts.text("way");
  optimizer.may_fuse = facts.flag("may_fuse").value_or(false);
  optimizer.tensors = facts.number("tensors").value_or(0);
  optimizer.elements = facts.number("elements").value_or(0);
  return optimizer;
}

DatasetCall read_dataset(const Facts& facts) {
  DatasetCall call;
  call.method = facts.text("method");
  call.file = facts.text("file");
  call.line = facts.line("line");
  if (const auto of = facts.number("of"); of && *of > 0)
    call.of = static_cast<std::size_t>(*of) - 1;
  call.parallel = facts.flag("parallel").value_or(false);
  call.python = facts.flag("python").value_or(false);
  call.random = facts.flag("random").value_or(false);
  const auto known = [](std::optional<std::int64_t> number) {
    return number && *number >= 0 ? number : std::nullopt;
  };
  call.elements = known(facts.number("elements"));
  call.bytes = known(facts.number("bytes"));
  return call;
}

ModelSettings read_model(const Facts& facts) {
  ModelSettings model;
  model.file = facts.text("file");
  model.line = facts.line("line");
  model.backend = facts.text("backend");
  model.policy = facts.text("policy");
  model.run_eagerly = facts.flag("run_eagerly").value_or(false);
  model.jit_compile = facts.flag("jit_compile").value_or(false);
  model.steps_per_execution = facts.number("steps_per_execution").value_or(1);
  return model;
}

}  // namespace

Settings::Settings(const Properties& properties) {
  const auto numbered = [&](std::string_view what, std::size_t i) {
    return Facts(properties, std::string(what) + std::to_string(i + 1) + " ");
  };
  while (numbered(property::kLoader, loaders.size()).any())
    loaders.push_back(read_loader(numbered(property::kLoader, loaders.size())));
  while (numbered(property::kOptimizer, optimizers.size()).any())
    optimizers.push_back(read_optimizer(numbered(property::kOptimizer, optimizers.size())));
  while (numbered(property::kDataset, datasets.size()).any())
    datasets.push_back(read_dataset(numbered(property::kDataset, datasets.size())));
  while (numbered(property::kModel, models.size()).any())
    models.push_back(read_model(numbered(property::kModel, models.size())));
  tensorflow = !property_text(properties, "tensorflow").empty();
  keras_policy = Facts(properties, std::string(property::kKeras)).text("policy");
  const Facts torch(properties, std::string(property::kTorch));
  threads = torch.number("threads");
  step_cpus = torch.real("step_cpus");
  input_cpu = torch.real("input_cpu");
  cpus = property_number(properties, property::kCpus);
  matmul_precision = torch.text("matmul_precision");
  cudnn_tf32 = torch.flag("cudnn_tf32");
  cudnn_benchmark = torch.flag("cudnn_benchmark");
  autocast = torch.text("autocast");
  cpu_bfloat16 = torch.text("cpu_bfloat16");
  if (cpu_bfloat16.empty())
    cpu_bfloat16 = Facts(properties, std::string(property::kTensorflow)).text("cpu_bfloat16");
  idle_biases = torch.number("idle_biases").value_or(0);
  idle_bias_names = torch.text("idle_bias_names");
  cuda_peak_bytes = torch.number("cuda_peak_bytes");
  cuda_reserved_bytes = torch.number("cuda_reserved_bytes");
  cuda_total_bytes = torch.number("cuda_total_bytes");
  cuda_retries = torch.number("cuda_retries");
}

const LoaderSettings* Settings::training_loader() const {
  const auto it = std::find_if(loaders.begin(), loaders.end(), [](const LoaderSettings& loader) {
    return loader.gradients && loader.made_by != kMadeByKeras;
  });
  return it == loaders.end() ? nullptr : &*it;
}

}  // namespace laptime
