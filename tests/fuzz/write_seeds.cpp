// fuzz_seeds FOLDER: writes the seeds to FOLDER/sealed and FOLDER/part.
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "seeds.h"

namespace {

bool write_all(const std::filesystem::path& folder, const std::vector<laptime::fuzz::Seed>& seeds) {
  std::filesystem::create_directories(folder);
  for (const auto& seed : seeds) {
    std::ofstream out(folder / seed.name, std::ios::binary);
    out.write(reinterpret_cast<const char*>(seed.bytes.data()), static_cast<std::streamsize>(seed.bytes.size()));
    if (!out) {
      std::fprintf(stderr, "fuzz_seeds: cannot write %s\n", (folder / seed.name).c_str());
      return false;
    }
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
    return 2;
  }
  const std::filesystem::path folder(argv[1]);
  return write_all(folder / "sealed", laptime::fuzz::sealed_seeds()) && write_all(folder / "part", laptime::fuzz::part_seeds()) ? 0 : 1;
}
