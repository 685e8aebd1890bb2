// Hostile bytes as another profiler's file: whatever is imported must open as a run.
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "base/testing/memory_sink.h"
#include "format/writer.h"
#include "import/lprof/import_lprof.h"
#include "import/open_stream.h"
#include "import/pstats/import_pstats.h"
#include "import/testing/memory_source.h"
#include "import/xplane/import_xplane.h"
#include "load_and_seal.h"

namespace {

using Import = laptime::Status (*)(laptime::ByteStream&, std::string_view, laptime::LapWriter&);

void import_and_open(laptime::ByteView file, Import import) {
  laptime::ImportBudget budget;
  auto in = laptime::open_stream(laptime::memory_source(file), budget);
  if (!in) return;
  laptime::MemorySink sink;
  laptime::LapWriter writer = *laptime::LapWriter::create(sink);
  if (!import(*in, "input", writer) || !writer.finish()) return;
  auto run = laptime::read_sealed(sink.data, "imported");
  if (!run) {
    std::fprintf(stderr, "what was imported does not open: %s\n", run.error().message.c_str());
    std::abort();
  }
  laptime::fuzz::load_and_seal(std::move(*run), file.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  import_and_open({data, size}, laptime::import_pstats);
  import_and_open({data, size}, laptime::import_lprof);
  import_and_open({data, size}, laptime::import_xplane);
  return 0;
}
