#include "import/import.h"

#include <fmt/format.h>
#include <algorithm>
#include <iterator>

#include "format/part.h"
#include "import/importer.h"
#include "import/lprof/import_lprof.h"
#include "import/open_stream.h"
#include "import/pstats/import_pstats.h"
#include "import/xplane/import_xplane.h"
#include "import/xplane/logdir.h"

namespace laptime {

namespace {

constexpr Importer kImporters[] = {
    {"cProfile's .prof", looks_like_pstats, import_pstats},
    {"line_profiler's .lprof", looks_like_lprof, import_lprof},
    {"TensorFlow's and JAX's .xplane.pb", looks_like_xplane, import_xplane},
};

bool is_run(ByteView head) {
  return head.size() >= sizeof kLapMagic &&
         std::equal(std::begin(kLapMagic), std::end(kLapMagic), head.begin());
}

tl::unexpected<Error> refuse_unknown(ByteView head, bool is_compressed) {
  if (head.empty()) return fail(ErrorKind::bad_file, "is empty");
  if (is_run(head))
    return fail(ErrorKind::usage,
                is_compressed ? "is a laptime run: decompress it, and laptime report shows it"
                              : "is a laptime run already: laptime report shows it");
  std::string formats;
  for (const Importer& importer : kImporters)
    formats += (formats.empty() ? "" : ", ") + std::string(importer.name);
  return fail(ErrorKind::bad_file, "is in no format that laptime imports; it reads " + formats);
}

Status import_one(const std::string& path, LapWriter& writer, ImportBudget budget) {
  ASSIGN_OR_RETURN(ByteStream in, open_stream(path, budget));
  Status status = import_stream(in, path.substr(path.rfind('/') + 1), writer);
  if (!status) status.error().message = path + " " + status.error().message;
  return status;
}

}  // namespace

Status import_stream(ByteStream& in, std::string_view file_name, LapWriter& writer) {
  const ByteView head = in.peek(kSniffBytes);
  const auto* importer = std::find_if(std::begin(kImporters), std::end(kImporters),
                                      [&](const Importer& i) { return i.sniff(head); });
  if (importer != std::end(kImporters)) return importer->import(in, file_name, writer);
  if (in.is_broken() || in.is_truncated()) return in.error();
  return refuse_unknown(head, in.is_compressed());
}

Status import_files(const std::vector<std::string>& paths, Sink& out, const ImportBudget& budget) {
  ASSIGN_OR_RETURN(const std::vector<std::string> files, expand_logdirs(paths));
  ASSIGN_OR_RETURN(LapWriter writer, LapWriter::create(out));
  for (const std::string& path : files) RETURN_IF_ERROR(import_one(path, writer, budget));
  return writer.finish();
}

}  // namespace laptime
