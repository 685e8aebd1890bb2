// The reference is NVIDIA's own figures: data sheets and white papers, dense, TFLOP/s, at the
// highest clock that the driver reports.
#include <gtest/gtest.h>
#include <map>
#include <string>

#include "collect/cuda/device_peaks.h"

namespace laptime::cuda {
namespace {

struct DataSheet {
  DeviceModel device;
  std::map<std::string, double> tflops;
};

constexpr std::string_view kPrefix = "peak_flops_";
const DataSheet kDataSheets[] = {
    {{"NVIDIA H200", 9, 0, 132, 1'980'000'000},
     {{"fp64", 33.5},
      {"fp64_tensor", 66.9},
      {"fp32", 66.9},
      {"tf32", 494.7},
      {"fp16", 989.4},
      {"fp8", 1978.9}}},
    {{"NVIDIA A100-SXM4-80GB", 8, 0, 108, 1'410'000'000},
     {{"fp64", 9.7}, {"fp64_tensor", 19.5}, {"fp32", 19.5}, {"tf32", 156}, {"fp16", 312}}},
    {{"Tesla V100-SXM2-16GB", 7, 0, 80, 1'530'000'000},
     {{"fp64", 7.8}, {"fp32", 15.7}, {"fp16", 125}}},
    {{"Tesla T4", 7, 5, 40, 1'590'000'000}, {{"fp32", 8.1}, {"fp16", 65}}},
    {{"NVIDIA A40", 8, 6, 84, 1'740'000'000}, {{"fp32", 37.4}, {"tf32", 74.8}, {"fp16", 149.7}}},
    {{"NVIDIA A10G", 8, 6, 80, 1'710'000'000}, {{"fp32", 35}, {"tf32", 35}, {"fp16", 70}}},
    {{"NVIDIA GeForce RTX 3090", 8, 6, 82, 1'695'000'000},
     {{"fp32", 35.6}, {"tf32", 35.6}, {"fp16", 71.2}}},
    {{"NVIDIA RTX 6000 Ada Generation", 8, 9, 142, 2'505'000'000},
     {{"fp32", 91.1}, {"tf32", 182.1}, {"fp16", 364.2}, {"fp8", 728.5}}},
    {{"NVIDIA GeForce RTX 4090", 8, 9, 128, 2'520'000'000},
     {{"fp32", 82.6}, {"tf32", 82.6}, {"fp16", 165.2}, {"fp8", 330.3}}},
    {{"NVIDIA GeForce RTX 5090", 12, 0, 170, 2'407'000'000},
     {{"fp32", 104.8}, {"tf32", 104.8}, {"fp16", 209.5}, {"fp8", 419}}},
};

TEST(DevicePeaks, AreThoseOfTheDataSheets) {
  for (const auto& [device, tflops] : kDataSheets) {
    std::map<std::string, double> found;
    for (const Peak& peak : peaks_of(device))
      found[std::string(peak.key.substr(kPrefix.size()))] =
          static_cast<double>(peak.flops_per_s) * 1e-12;
    for (const auto& [precision, expected] : tflops)
      EXPECT_NEAR(found[precision], expected, expected * 1e-2) << device.name << ' ' << precision;
    EXPECT_EQ(found.contains("fp8"), tflops.contains("fp8")) << device.name;
  }
}

TEST(DevicePeaks, AnUnknownArchitectureHasNoPeaks) {
  EXPECT_TRUE(peaks_of({"NVIDIA Z1", 42, 0, 100, 2'000'000'000}).empty());
}

}  // namespace
}  // namespace laptime::cuda
