// How the program set its framework up, as the properties of a process tell it (docs/records.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trace/run/run.h"

namespace laptime {

// A function of the program's, as its file and first line name it; file empty: unknown.
struct CodeName {
  std::string file;
  std::uint32_t first_line = 0;
};

struct LoaderSettings {
  std::string file;  // where the program made it
  std::uint32_t line = 0;
  std::int64_t workers = 0;
  std::optional<std::int64_t> batch, prefetch;
  bool pin_memory = false, persistent = false;
  bool in_order = true;
  bool gradients = true;  // on when it was first read: a loader that is trained on
  std::string dataset;    // its class
  std::string sampler;    // its class, where the program chose it
  std::string made_by;    // the package that made it for the program; empty: the program
  CodeName getitem, collate;
};

struct OptimizerSettings {
  std::string file;  // where the program made it, else where it stepped; empty: unknown
  std::uint32_t line = 0;
  std::string made_by;  // as a loader's
  std::string name, device, dtype;
  std::string way;  // single, foreach, fused; empty: unknown
  bool may_fuse = false;
  std::int64_t tensors = 0, elements = 0;
};

// A call of a method of tf.data's datasets, by the program.
struct DatasetCall {
  std::string method;  // map, batch, shuffle …
  std::string file;
  std::uint32_t line = 0;
  std::optional<std::size_t> of;  // the call that made the dataset: Settings::datasets
  bool parallel = false;          // num_parallel_calls was given
  bool python = false;            // its function calls Python
  bool random = false;            // its function may give other elements next time
  std::optional<std::int64_t> elements, bytes;  // of the result; bytes: of an element
};

// A model of Keras that was trained.
struct ModelSettings {
  std::string file;  // where it was compiled
  std::uint32_t line = 0;
  std::string backend, policy;
  bool run_eagerly = false, jit_compile = false;
  std::int64_t steps_per_execution = 1;
};

struct Settings {
  explicit Settings(const Properties& properties);

  std::vector<LoaderSettings> loaders;  // in the order of their first use
  std::vector<OptimizerSettings> optimizers;
  std::vector<DatasetCall> datasets;  // in the order of the calls
  std::vector<ModelSettings> models;  // in the order of their first training
  bool tensorflow = false;            // the program uses it
  std::string keras_policy;           // with the first optimizer; empty: unknown
  std::optional<std::int64_t> threads, cpus;
  std::optional<double> step_cpus,
      input_cpu;  // processors that steps had, but for waits; share of a wait in which one was used
  std::string matmul_precision;  // highest, high, medium; empty: unknown
  std::optional<bool> cudnn_tf32, cudnn_benchmark;
  std::string autocast;      // "cuda bfloat16"; empty: never entered
  std::string cpu_bfloat16;  // the CPU's instructions that multiply it: "avx512_bf16"; empty: none
  std::int64_t idle_biases = 0;
  std::string idle_bias_names;
  std::optional<std::int64_t> cuda_peak_bytes, cuda_reserved_bytes, cuda_total_bytes, cuda_retries;

  // The first that was read with gradients on, and whose options the program can set; null: none is
  // known.
  const LoaderSettings* training_loader() const;
  bool on_gpu() const { return !optimizers.empty() && optimizers.front().device == "cuda"; }
};

}  // namespace laptime
