// Generated pictures of digits, 16 x 16: a 5 x 7 glyph stretched, moved and covered with noise. The
// same seed gives the same pictures on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

inline constexpr std::size_t kSide = 16;
inline constexpr std::size_t kPixels = kSide * kSide;
inline constexpr std::size_t kClasses = 10;

struct Batch {
  std::vector<float> pixels;  // size() rows of kPixels
  std::vector<std::uint8_t> labels;

  std::size_t size() const { return labels.size(); }
};

class DigitImages {
 public:
  explicit DigitImages(std::uint64_t seed) : state_(seed) {}
  Batch next(std::size_t count);

 private:
  void draw(std::uint8_t digit, float* pixels);
  float uniform();  // [0, 1)

  std::uint64_t state_;
};
