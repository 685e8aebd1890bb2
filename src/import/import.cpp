#include "import/import.h"

#include <fmt/format.h>
#include <algorithm>

#include "base/os/file.h"
#include "format/part.h"
#include "format/writer.h"
#include "import/lprof/import_lprof.h"
#include "import/pstats/import_pstats.h"

namespace laptime {

namespace {

struct Importer {
  const char* reads;
  bool (*recognizes)(ByteView file);
  Status (*import)(ByteView file, std::string_view file_name, LapWriter& writer);
};

constexpr Importer kImporters[] = {
    {"cProfile's .prof", looks_like_pstats, import_pstats},
    {"line_profiler's .lprof", looks_like_lprof, import_lprof},
};

// A hostile file can make a reader take some forty times its size; honest profiles are a few
// megabytes.
constexpr std::size_t kMaxBytes = 128u << 20;

bool is_lap(ByteView file) {
  return file.size() >= sizeof kLapMagic &&
         std::equal(std::begin(kLapMagic), std::end(kLapMagic), file.begin());
}

Status refuse_unknown(const std::string& path, ByteView file) {
  if (file.empty()) return fail(ErrorKind::bad_file, path + " is empty");
  if (is_lap(file))
    return fail(ErrorKind::usage, path + " is a laptime run already: laptime report shows it");
  std::string formats;
  for (const Importer& importer : kImporters)
    formats += (formats.empty() ? "" : ", ") + std::string(importer.reads);
  return fail(ErrorKind::bad_file,
              fmt::format("{} is in no format that laptime imports; it reads {}", path, formats));
}

Status import_one(const std::string& path, LapWriter& writer) {
  ASSIGN_OR_RETURN(const MappedFile mapped, MappedFile::open(path));
  const ByteView file = mapped.bytes();
  const auto importer = std::find_if(std::begin(kImporters), std::end(kImporters),
                                     [&](const Importer& i) { return i.recognizes(file); });
  if (importer == std::end(kImporters)) return refuse_unknown(path, file);
  if (file.size() > kMaxBytes)
    return fail(ErrorKind::bad_file,
                fmt::format("{} has {} MB; laptime imports profiles of up to {} MB", path,
                            file.size() >> 20, kMaxBytes >> 20));
  Status status = importer->import(file, path.substr(path.rfind('/') + 1), writer);
  if (!status) status.error().message = path + " " + status.error().message;
  return status;
}

}  // namespace

Status import_files(const std::vector<std::string>& paths, Sink& out) {
  ASSIGN_OR_RETURN(LapWriter writer, LapWriter::create(out));
  for (const std::string& path : paths) RETURN_IF_ERROR(import_one(path, writer));
  return writer.finish();
}

}  // namespace laptime
