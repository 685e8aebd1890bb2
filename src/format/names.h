// The keys of span arguments. A well-known key is a number, so neither writer nor reader compares
// texts. A program's or a collector's own key is a string.
//
// In memory and in raw records, bit 31 marks a well-known key. Files store the key rotated left by
// one bit: well-known keys are odd, string ids even. Both take one byte if they are small.
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>

namespace laptime {

inline constexpr std::uint32_t kWellKnownKey = 1u << 31;

// Stable numbers: they are in files. A key's comment has its ArgType and its meaning.
enum class ArgKey : std::uint32_t {
  none = 0,
  call_site = kWellKnownKey | 1,      // call site: where the program caused the span
  bytes = kWellKnownKey | 2,          // integer: of a copy, a fill, a block of memory
  copy = kWellKnownKey | 3,           // integer, CopyInfo: direction, memory kinds, blocking
  launch_config = kWellKnownKey | 4,  // launch_config: of a kernel
  autograd = kWellKnownKey | 5,       // integer, LaunchNode: autograd's state at a launch
  graph_node = kWellKnownKey | 6,     // integer, GraphNodeLink: the node that ran the work
  device = kWellKnownKey | 7,         // string: of a tensor's block, absent for the CPU
  shapes = kWellKnownKey | 8,         // string: of an op's inputs
  types = kWellKnownKey | 9,          // string: of an op's inputs
  flops = kWellKnownKey | 10,         // integer: of an op
  samples = kWellKnownKey | 11,       // integer: of a step
  ops = kWellKnownKey | 12,           // integer: 1 if all ops of the step were recorded, else 0
};

// The key that a string names; 0 is no string.
constexpr ArgKey named_key(std::uint32_t string) { return static_cast<ArgKey>(string); }
constexpr bool is_well_known(ArgKey key) {
  return (static_cast<std::uint32_t>(key) & kWellKnownKey) != 0;
}
constexpr std::uint32_t string_of(ArgKey key) { return static_cast<std::uint32_t>(key); }

constexpr std::uint32_t stored_key(ArgKey key) {
  return std::rotl(static_cast<std::uint32_t>(key), 1);
}
constexpr ArgKey key_from_stored(std::uint64_t stored) {
  return static_cast<ArgKey>(std::rotr(static_cast<std::uint32_t>(stored), 1));
}

// What memory is on; device.h joins the kind and the number.
inline constexpr std::string_view kCpuName = "cpu", kCudaName = "cuda";

// Properties of a process. A comment names the type where it is no integer.
namespace property {
// Of every process that records.
inline constexpr std::string_view kPid = "pid", kParentPid = "parent_pid", kRecords = "records",
                                  kEncoderNs = "encoder_ns", kRecordCostPs = "record_cost_ps",
                                  kCpuNs = "cpu_ns", kCpus = "cpus";
// Of the program: texts.
inline constexpr std::string_view kCommand = "command", kDirectory = "directory", kHost = "host",
                                  kLaptimeVersion = "laptime_version";
// Of the run as a whole: what `laptime run` saw from outside.
inline constexpr std::string_view kExitCode = "exit_code", kExitSignal = "exit_signal",
                                  kWallNs = "wall_ns", kCpuUserNs = "cpu_user_ns",
                                  kCpuSystemNs = "cpu_system_ns", kMaxRssBytes = "max_rss_bytes",
                                  kMachineBusyNs = "machine_busy_ns";
// Of the Python package: what recording cost.
inline constexpr std::string_view kOwnTimeNs = "own_time_ns", kOwnCpuNs = "own_cpu_ns",
                                  kPythonCostNs = "python_cost_ns", kRanNs = "ran_ns",
                                  kWaitedForProcessorNs = "waited_for_processor_ns";
// The same by framework. A key is a framework's prefix and the name of a cost: "torch_hooks_ns".
inline constexpr std::string_view kFrameworkPrefixes[] = {"torch_", "tensorflow_", "jax_"};
inline constexpr std::string_view kHooksNs = "hooks_ns", kByClockNs = "by_clock_ns",
                                  kOpsNs = "ops_ns", kSetupNs = "setup_ns";
// Of the Python package: what it records. Texts, but for kLoaderWorker.
inline constexpr std::string_view kPythonEngines = "python_engines", kGpu = "gpu",
                                  kFrameworks = "frameworks", kLoaderWorker = "loader_worker";
inline constexpr std::string_view kSourceText = "source_text", kLeftOut = "left out";
// Of importers: texts.
inline constexpr std::string_view kImportedFrom = "imported_from", kSourceFormat = "source_format",
                                  kLineSelfTime = "line_self_time", kUnknown = "unknown";
// Settings of the program (docs/records.md). A loader's and an optimizer's begin with its number:
// "loader 1 workers".
inline constexpr std::string_view kLoader = "loader ", kOptimizer = "optimizer ", kTorch = "torch ";
inline constexpr std::string_view kDataset = "dataset ", kModel = "model ", kKeras = "keras ",
                                  kTensorflow = "tensorflow ";
inline constexpr std::string_view kRank = "rank", kTorchThreads = "torch threads";
inline constexpr std::string_view kTorchRunning = "torch running",  // reals
    kTorchStepCpus = "torch step_cpus", kTorchStepCpu = "torch step_cpu",
                                  kTorchInputCpu = "torch input_cpu";
}  // namespace property

// Properties of a device: integers, but for the name.
namespace device_property {
inline constexpr std::string_view kName = "name", kMemoryBytes = "memory_bytes",
                                  kMultiprocessors = "multiprocessors", kL2Bytes = "l2_bytes",
                                  kClockHz = "clock_hz", kComputeMajor = "compute_major",
                                  kComputeMinor = "compute_minor",
                                  kPeakBytesPerS = "peak_bytes_per_s";
inline constexpr std::string_view kMaxThreads = "max_threads_per_multiprocessor",
                                  kMaxBlocks = "max_blocks_per_multiprocessor",
                                  kRegisters = "registers_per_multiprocessor",
                                  kSharedBytes = "shared_bytes_per_multiprocessor";
inline constexpr std::string_view kPeakFlopsFp64 = "peak_flops_fp64",
                                  kPeakFlopsFp64Tensor = "peak_flops_fp64_tensor",
                                  kPeakFlopsFp32 = "peak_flops_fp32",
                                  kPeakFlopsTf32 = "peak_flops_tf32",
                                  kPeakFlopsFp16 = "peak_flops_fp16",
                                  kPeakFlopsFp8 = "peak_flops_fp8";
}  // namespace device_property

namespace span_name {
// Phases of steps. kStep: of one that the program marked without a name.
inline constexpr std::string_view kStep = "step", kTrain = "train", kValidation = "validation",
                                  kInference = "inference";
inline constexpr std::string_view kInput = "input", kInputEnd = "input end",
                                  kStartLoader = "start loader", kFetch = "fetch",
                                  kCheckpoint = "checkpoint";
// Behind the # is the class: "Optimizer.step#SGD.step". kOptimizer begins each. An update is what a
// step does besides its closure, which is the program's forward and backward.
inline constexpr std::string_view kOptimizer = "Optimizer.", kOptimizerStep = "Optimizer.step#",
                                  kOptimizerUpdate = "Optimizer.update#",
                                  kOptimizerZeroGrad = "Optimizer.zero_grad#";
inline constexpr std::string_view kFullCollection = "gc 2", kCompile = "torch.compile";
// torch's own; the name of the node is behind it.
inline constexpr std::string_view kAutogradEngine = "autograd::engine::",
                                  kEvaluateFunction = "autograd::engine::evaluate_function";
// Roles of blocks of memory.
inline constexpr std::string_view kParameter = "parameter", kBuffer = "buffer",
                                  kGradient = "gradient", kOptimizerState = "optimizer state";
}  // namespace span_name

// Keys of arguments that are strings.
namespace arg_name {
inline constexpr std::string_view kFunction = "function", kReason = "reason";  // of a compilation
inline constexpr std::string_view kOp = "op";  // an op's full name: "sequential/dense/MatMul"
// Of a stage of an input pipeline.
inline constexpr std::string_view kPipeline = "pipeline", kBufferedElements = "buffered_elements",
                                  kParallelism = "parallelism";
}  // namespace arg_name

namespace value_name {
inline constexpr std::string_view kOpsRecorded = "ops recorded";
}  // namespace value_name

namespace warning_name {
inline constexpr std::string_view kDamaged = "damaged_chunk",
                                  kMemoryFromBefore = "memory_from_before",
                                  kTorchNoSteps = "torch_no_steps",
                                  kTorchIntervals = "torch_intervals";
}  // namespace warning_name

}  // namespace laptime
