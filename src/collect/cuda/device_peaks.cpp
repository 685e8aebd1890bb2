#include "collect/cuda/device_peaks.h"

#include <algorithm>
#include <iterator>

#include "format/names.h"

namespace laptime::cuda {

namespace {

struct Ratio {
  std::uint64_t numerator = 1, denominator = 1;
};

// Operations that a multiprocessor finishes per clock, two for each multiply-add. Dense, from
// NVIDIA's architecture white papers and data sheets.
struct Architecture {
  int major, minor;
  int fp64, fp64_tensor, fp32, tf32, fp16, fp8;  // 0: not supported
  Ratio tensor_clock{};  // clock of tf32, fp16 and fp8 relative to the highest clock
};
// NVIDIA's figures for the H100 SXM and the H200 assume two clocks. The 989 (fp16), 495 (tf32) and
// 1,979 (fp8) TFLOP/s are for 1,830 MHz. The 67 of fp32 and of fp64 on tensor cores are for the
// highest clock, 1,980 MHz. The clocks of the H100 PCIe's figures, 1,620 and 1,755 MHz, differ
// nearly as much.
constexpr Ratio kHopperTensorClock{1830, 1980};
constexpr Architecture kArchitectures[] = {
    {7, 0, 64, 0, 128, 0, 1024, 0},
    {7, 5, 4, 0, 128, 0, 1024, 0},
    {8, 0, 64, 128, 128, 1024, 2048, 0},
    {8, 6, 4, 0, 256, 512, 1024, 0},
    {8, 9, 4, 0, 256, 512, 1024, 2048},
    {9, 0, 128, 256, 256, 2048, 4096, 8192, kHopperTensorClock},
    {10, 0, 128, 128, 256, 4096, 8192, 16384},
    {12, 0, 4, 0, 256, 512, 1024, 2048},
};

// Gaming cards and the A10G multiply at half the rate of their architecture when they accumulate in
// fp32, as frameworks request.
bool has_half_tensor_rate(std::string_view name) {
  return name.find("GeForce") != name.npos || name.find("A10G") != name.npos;
}

}  // namespace

std::vector<Peak> peaks_of(const DeviceModel& device) {
  const auto a = std::find_if(std::begin(kArchitectures), std::end(kArchitectures),
                              [&](const Architecture& known) {
                                return known.major == device.major && known.minor == device.minor;
                              });
  if (a == std::end(kArchitectures)) return {};
  const std::uint64_t cycles = device.clock_hz * device.multiprocessors;
  std::vector<Peak> peaks;
  const auto add = [&](std::string_view key, int per_cycle, Ratio of_clock) {
    if (const std::uint64_t flops = cycles * static_cast<std::uint64_t>(per_cycle) /
                                    of_clock.denominator * of_clock.numerator)
      peaks.push_back({key, flops});
  };
  const Ratio tensor{a->tensor_clock.numerator,
                     a->tensor_clock.denominator * (has_half_tensor_rate(device.name) ? 2 : 1)};
  add(device_property::kPeakFlopsFp64, a->fp64, {});
  add(device_property::kPeakFlopsFp64Tensor, a->fp64_tensor, {});
  add(device_property::kPeakFlopsFp32, a->fp32, {});
  add(device_property::kPeakFlopsTf32, a->tf32, tensor);
  add(device_property::kPeakFlopsFp16, a->fp16, tensor);
  add(device_property::kPeakFlopsFp8, a->fp8, tensor);
  return peaks;
}

}  // namespace laptime::cuda
