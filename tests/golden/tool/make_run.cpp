// make_run OUT < TEXT: writes the run that the text describes.
#include <fstream>
#include <iostream>
#include <iterator>

#include "run_text.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: make_run OUT < TEXT\n";
    return 2;
  }
  const std::string text((std::istreambuf_iterator<char>(std::cin)),
                         std::istreambuf_iterator<char>());
  const auto bytes = laptime::make_run(text);
  if (!bytes) {
    std::cerr << "make_run: " << bytes.error().message << '\n';
    return 2;
  }
  std::ofstream out(argv[1], std::ios::binary);
  out.write(reinterpret_cast<const char*>(bytes->data()),
            static_cast<std::streamsize>(bytes->size()));
  return out.flush() ? 0 : 1;
}
