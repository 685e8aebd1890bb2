#include "import/xplane/import_xplane.h"

#include <optional>
#include <protozero/exception.hpp>
#include <string>

#include "base/varint.h"
#include "import/xplane/plane_import.h"
#include "import/xplane/plane_stream.h"
#include "import/xplane/xplane_part.h"
#include "xplane/fields.h"
#include "xplane/protobuf_views.h"

namespace laptime {

namespace {

constexpr std::uint8_t kPlanesTag = 1 << 3 | 2, kIdTag = 1 << 3 | 0;
constexpr std::uint8_t kFirstText = 2 << 3 | 2, kLastText = 6 << 3 | 2;

class XplaneImport {
 public:
  XplaneImport(LapWriter& writer, ImportBudget& budget) : part_(writer, budget) {}

  Status run(PlaneStream& stream, const ByteStream& in, std::string_view file_name) {
    for (;;) {
      ASSIGN_OR_RETURN(const auto field, stream.next());
      if (!field) break;
      RETURN_IF_ERROR(add_field(*field));
    }
    if (in.is_broken()) return in.error();
    const bool truncated = stream.is_truncated() || in.is_truncated();
    if (truncated)
      part_.count("truncated_profile", Severity::warning, 1,
                  "the profile is cut short; the planes before the cut are shown");
    if (stream.is_damaged()) count_damage();
    if (damaged_ > 0 && part_.is_empty())
      return fail(ErrorKind::bad_file, "is damaged: none of its planes can be read");
    if (planes_ == 0)
      return fail(ErrorKind::bad_file,
                  truncated ? "is cut short" : "is an xplane without any plane");
    part_.set_property("source_format", "xplane");
    part_.set_property("imported_from", file_name);
    if (const auto date = times_.first_date ? times_.first_date : times_.profile_start)
      part_.set_date(*date);
    return part_.finish();
  }

 private:
  Status add_field(const PlaneStream::Field& field) {
    switch (static_cast<xplane::Space>(field.number)) {
      case xplane::Space::planes:
        return add_plane(field.bytes);
      case xplane::Space::errors:
      case xplane::Space::warnings:
        part_.count("profiler_errors", Severity::warning, 1,
                    "the profiler reported errors or warnings in the profile");
        break;
      case xplane::Space::hostnames:
        part_.set_property("host", as_text(as_data(field.bytes)));
        break;
    }
    return {};
  }

  Status add_plane(ByteView bytes) {
    try {
      RETURN_IF_ERROR(PlaneImport(bytes, part_, times_).run());
    } catch (const protozero::exception&) {
      count_damage();
    }
    ++planes_;
    return {};
  }

  void count_damage() {
    ++damaged_;
    part_.count("damaged_plane", Severity::error, 1,
                "part of the profile is damaged; the rest is shown");
  }

  XplanePart part_;
  ProfileTimes times_;
  std::uint64_t planes_ = 0, damaged_ = 0;
};

}  // namespace

// A plane, and within it the first field of one: text files that begin with an empty line go on
// differently.
bool looks_like_xplane(ByteView head) {
  if (head.size() < 3 || head[0] != kPlanesTag) return false;
  std::uint64_t length = 0;
  const std::uint8_t* const plane = read_varint(head.data() + 1, head.data() + head.size(), length);
  if (!plane || plane == head.data() + head.size() || length == 0) return false;
  return *plane == kIdTag || (*plane >= kFirstText && *plane <= kLastText && (*plane & 7) == 2);
}

Status import_xplane(ByteStream& in, std::string_view file_name, LapWriter& writer) {
  ASSIGN_OR_RETURN(PlaneStream stream, PlaneStream::open(in));
  return XplaneImport(writer, in.budget()).run(stream, in, file_name);
}

}  // namespace laptime
