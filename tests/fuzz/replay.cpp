// Runs a fuzz target over every file of the given folders, and over damaged copies of each: cut
// short, and with bytes changed at fixed pseudo-random call sites, with and without the checksums
// made right again. No libFuzzer needed.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "base/bytes.h"
#include "restamp.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using laptime::Bytes;

constexpr int kCuts = 100;
constexpr int kChanged = 1000;

void run_one(const Bytes& bytes) { LLVMFuzzerTestOneInput(bytes.data(), bytes.size()); }

Bytes changed(const Bytes& original, std::mt19937_64& random) {
  Bytes bytes = original;
  for (std::uint64_t n = 1 + random() % 4; n > 0; --n) {
    const std::size_t at = random() % bytes.size();
    // Small numbers, all ones and single bits reach more than arbitrary bytes do.
    const std::uint8_t choices[] = {0,
                                    1,
                                    0x7f,
                                    0xff,
                                    static_cast<std::uint8_t>(bytes[at] ^ (1u << (random() % 8))),
                                    static_cast<std::uint8_t>(random())};
    bytes[at] = choices[random() % std::size(choices)];
  }
  return bytes;
}

void run_with_damage(const Bytes& bytes) {
  run_one(bytes);
  if (bytes.empty()) return;
  std::mt19937_64 random(bytes.size());
  for (int i = 0; i < kCuts; ++i)
    run_one(
        Bytes(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(random() % bytes.size())));
  for (int i = 0; i < kChanged; ++i) {
    Bytes damaged = changed(bytes, random);
    if (i % 2) laptime::fuzz::restamp(damaged.data(), damaged.size());
    run_one(damaged);
  }
}

}  // namespace

int main(int argc, char** argv) {
  int files = 0;
  for (int i = 1; i < argc; ++i) {
    if (!std::filesystem::is_directory(argv[i])) continue;
    for (const auto& entry : std::filesystem::directory_iterator(argv[i])) {
      std::ifstream in(entry.path(), std::ios::binary);
      run_with_damage(Bytes(std::istreambuf_iterator<char>(in), {}));
      ++files;
    }
  }
  std::printf("%d files, each with %d damaged copies\n", files, kCuts + kChanged);
  return files > 0 ? 0 : 1;
}
