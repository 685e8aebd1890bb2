// fuzz_seeds FOLDER: writes the seeds to FOLDER/sealed and FOLDER/part. fuzz_seeds --bombs FOLDER:
// writes small files that expand to gigabytes, and an honest run as small as these.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "bombs.h"
#include "seeds.h"

namespace {

bool write_all(const std::filesystem::path& folder, const std::vector<laptime::fuzz::Seed>& seeds) {
  std::filesystem::create_directories(folder);
  for (const auto& seed : seeds) {
    std::ofstream out(folder / seed.name, std::ios::binary);
    out.write(reinterpret_cast<const char*>(seed.bytes.data()),
              static_cast<std::streamsize>(seed.bytes.size()));
    if (!out) {
      std::fprintf(stderr, "fuzz_seeds: cannot write %s\n", (folder / seed.name).c_str());
      return false;
    }
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && std::string_view(argv[1]) == "--bombs")
    return write_all(std::filesystem::path(argv[2]) / "bombs", laptime::fuzz::bombs()) &&
                   write_all(argv[2], {laptime::fuzz::long_run()})
               ? 0
               : 1;
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s [--bombs] FOLDER\n", argv[0]);
    return 2;
  }
  const std::filesystem::path folder(argv[1]);
  return write_all(folder / "sealed", laptime::fuzz::sealed_seeds()) &&
                 write_all(folder / "part", laptime::fuzz::part_seeds())
             ? 0
             : 1;
}
