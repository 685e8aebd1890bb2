#include "import/open_stream.h"

#include <utility>

#include "import/decompress.h"

namespace laptime {

namespace {

Result<ByteStream> open(std::unique_ptr<ByteSource> source, ImportBudget& budget,
                        std::string path) {
  ASSIGN_OR_RETURN(ByteStream stored,
                   ByteStream::create(std::move(source), budget, {false, std::move(path)}));
  const Compression* compression = compression_of(stored.peek(kCompressionMagic));
  if (compression == nullptr) return stored;
  ASSIGN_OR_RETURN(auto decompressor, compression->decompress(std::move(stored)));
  ASSIGN_OR_RETURN(ByteStream stream,
                   ByteStream::create(std::move(decompressor), budget, {true, {}}));
  if (const Compression* inner = compression_of(stream.peek(kCompressionMagic)))
    return fail(ErrorKind::bad_file, std::string("holds ") + inner->name + " inside " +
                                         compression->name + "; decompress it once before");
  return stream;
}

}  // namespace

Result<ByteStream> open_stream(std::unique_ptr<ByteSource> source, ImportBudget& budget) {
  return open(std::move(source), budget, {});
}

Result<ByteStream> open_stream(const std::string& path, ImportBudget& budget) {
  ASSIGN_OR_RETURN(OpenedFile file, open_byte_source(path));
  auto stream = open(std::move(file.source), budget, file.is_regular ? path : "");
  if (!stream) stream.error().message = path + " " + stream.error().message;
  return stream;
}

}  // namespace laptime
